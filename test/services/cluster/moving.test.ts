import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Cluster } from '../../../src/cluster/cluster.js';
import { MemberGone } from '../../../src/cluster/errors.js';
import { createCall } from '../../../src/rpc/service.js';
import { ClusterNode } from '../../../src/services/cluster/cluster-node.js';
import { MARK_ENDING } from '../../../src/services/context/wallet-directory.js';
import { WalletManager } from '../../../src/services/manager/wallet-manager.js';
import { systemClock } from '../../../src/util/clock.js';
import { EncodedJson } from '../../../src/util/json-writer.js';
import type { Json } from '../../../src/util/json.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { FakeCluster } from '../../support/fakes/fake-cluster.js';
import { until } from '../../support/fakes/until.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';
import { WalletServer } from '../../support/processes/wallet-server.js';

/** One process of the cluster, with a wallet directory of its own. */
interface Process {
  readonly url: string;
  readonly files: WalletServer;
  readonly manager: WalletManager;
  readonly node: ClusterNode;
  readonly cluster: Cluster;
  call(method: string, params?: Json, target?: string): Promise<unknown>;
}

const INDEX = { major: 0, minor: 0 };

let database: FakeCluster;
let processes: Process[];
const joined = new WeakSet<Process>();

/** Reads an answer that may be encoded. */
function decoded(answer: unknown): unknown {
  if (!(answer instanceof EncodedJson)) return answer;
  return JSON.parse(Buffer.concat(answer.pieces).toString('utf8'));
}

/** Starts a process. @param passwords wallets whose password it has; absent: all. @param files its directory; absent: empty. */
function start(url: string, passwords?: readonly string[], files = new WalletServer({})): Process {
  const cluster = database.join(url);
  const node = new ClusterNode({
    ...{ cluster, url, clock: systemClock, log: files.settings.log },
    hasPassword: (name) => passwords?.includes(name) ?? true,
    ask: async (member, action, body) => {
      const asked = processes.find((process) => process.url === member);
      if (asked === undefined) throw new Error('no such member');
      return asked.node.answer(action, body);
    },
  });
  const manager = new WalletManager({ ...files.settings, cluster: node });
  const call = createCall(manager, '1.32', files.settings.log);
  const started = {
    ...{ url, files, manager, node, cluster },
    call: async (method: string, params: Json = {}, target?: string) =>
      decoded(await call(method, params, target === undefined ? {} : { target })),
  };
  processes.push(started);
  return started;
}

/** Lets a process look at the cluster, every half second. */
function join(process: Process): void {
  if (joined.has(process)) return;
  joined.add(process);
  process.manager.joinCluster(() => 'p');
}

/** Joins the cluster, and creates a wallet with a label. */
async function createShop(process: Process): Promise<void> {
  const { manager } = process;
  join(process);
  await manager.scope('shop').createWallet({ filename: 'shop', password: 'p', language: 'English' });
  manager.scope('shop').find()?.accounts.setLabel(INDEX, 'till 4');
}

const holderOf = (name = 'shop'): string | undefined => database.rows.get(name)?.holder;
const isOpenAt = ({ manager }: Process): boolean => manager.scope('shop').find() !== undefined;
const labelAt = ({ manager }: Process): string | undefined =>
  manager.scope('shop').find()?.accounts.label(INDEX);
const openAt = (process: Process): Promise<boolean | undefined> =>
  until('the wallet is open', () => isOpenAt(process) || undefined);

beforeEach(() => {
  // Its time stands: no lease ends.
  database = new FakeCluster(new VirtualClock());
  processes = [];
});

afterEach(async () => {
  for (const { node } of processes) await node.stop();
  for (const { manager, files } of processes) {
    await manager.close();
    await files.close();
  }
});

describe('move_wallet', () => {
  test('gives a wallet with all changes to the named process, and list_wallets shows its holder', async () => {
    const [a, b] = [start('http://a'), start('http://b')];
    await createShop(a);
    for (const process of [a, b]) join(process);
    await a.node.refresh();
    expect(await a.call('move_wallet', { to: 'http://b' }, 'shop')).toEqual({ holder: 'http://b' });
    await openAt(b);
    expect([holderOf(), isOpenAt(a), labelAt(b)]).toEqual(['http://b', false, 'till 4']);
    expect(await a.node.place('shop')).toEqual({ url: 'http://b' });
    expect(await a.call('list_wallets')).toEqual({
      wallets: [{ name: 'shop', open: true, holder: 'http://b' }],
    });
    expect(await b.call('list_wallets')).toMatchObject({
      wallets: [{ name: 'shop', open: true, holder: 'http://b', view_only: false }],
    });
  });

  test('leaves files that are old, and says so by their mark', async () => {
    const [a, b] = [start('http://a'), start('http://b')];
    await createShop(a);
    const mark = ({ files }: Process): unknown =>
      JSON.parse(readFileSync(`${files.paths('shop').store}${MARK_ENDING}`, 'utf8'));
    for (const process of [a, b]) join(process);
    await a.node.refresh();
    await a.call('move_wallet', { to: 'http://b' }, 'shop');
    await openAt(b);
    expect([mark(a), mark(b)]).toEqual([{ epoch: '1' }, { epoch: '3' }]);
    await b.call('close_wallet', {}, 'shop');
    expect([mark(a), mark(b)]).toEqual([{ epoch: '1' }, { epoch: '3', released: expect.any(String) }]);
  });

  test('gives it to the least loaded process that has its password', async () => {
    const [a, , c] = [start('http://a'), start('http://b', []), start('http://c')];
    await createShop(a);
    await a.node.refresh();
    expect(await a.call('move_wallet', { filename: 'shop' }, 'shop')).toEqual({ holder: 'http://c' });
    join(c);
    await openAt(c);
  });

  test('waits for the calls that run, while new ones wait for the next holder', async () => {
    const [a, b] = [start('http://a'), start('http://b')];
    await createShop(a);
    for (const process of [a, b]) join(process);
    await a.node.refresh();
    const place = await a.node.place('shop');
    if (typeof place === 'string' || !('release' in place)) throw new Error('the wallet is not here');
    await a.call('move_wallet', { to: 'http://b' }, 'shop');
    await expect(a.call('move_wallet', { to: 'http://b' }, 'shop')).rejects.toMatchObject({ code: -68 });
    await turns(20);
    expect([await a.node.place('shop'), isOpenAt(a), holderOf()]).toEqual(['changing', true, 'http://a']);
    place.release();
    await openAt(b);
    expect(isOpenAt(a)).toBe(false);
  });

  test('to its own process changes nothing', async () => {
    const a = start('http://a');
    await createShop(a);
    await a.node.refresh();
    expect(await a.call('move_wallet', { to: 'http://a' }, 'shop')).toEqual({ holder: 'http://a' });
    expect([isOpenAt(a), await a.node.place('shop')]).toEqual([true, { release: expect.any(Function) }]);
  });

  test.each([
    ['http://nowhere', /no living process of the cluster has the address http:\/\/nowhere/],
    ['http://b', /no other process of the cluster has the password/],
    [undefined, /no other process of the cluster has the password/],
  ])('to %s is refused, and the wallet stays', async (to, message) => {
    const a = start('http://a');
    start('http://b', []);
    await createShop(a);
    await a.node.refresh();
    const moved = a.call('move_wallet', to === undefined ? {} : { to }, 'shop');
    await expect(moved).rejects.toMatchObject({ message: expect.stringMatching(message) });
    expect([isOpenAt(a), holderOf(), (await a.node.place('shop')) === 'changing']).toEqual([
      true,
      'http://a',
      false,
    ]);
  });

  test('is refused for a wallet that is not open', async () => {
    const a = start('http://a');
    await expect(a.call('move_wallet', {}, 'shop')).rejects.toThrow();
    expect(holderOf()).toBeUndefined();
  });
});

describe('outside a cluster', () => {
  test('move_wallet is refused, and list_wallets lists the directory without holders', async () => {
    const files = new WalletServer({});
    const manager = new WalletManager(files.settings);
    try {
      const call = createCall(manager, '1.32', files.settings.log);
      await manager.scope('shop').createWallet({ filename: 'shop', password: 'p', language: 'English' });
      await expect(call('move_wallet', {}, { target: 'shop' })).rejects.toMatchObject({
        message: expect.stringContaining('this server is in no cluster'),
      });
      const { wallets } = decoded(await call('list_wallets', {}, {})) as { wallets: object[] };
      expect(wallets).toEqual([expect.objectContaining({ name: 'shop', open: true })]);
      expect(wallets[0]).not.toHaveProperty('holder');
    } finally {
      await manager.close();
      await files.close();
    }
  });
});

test('list_wallets shows a released wallet of another process as closed', async () => {
  const [a, b] = [start('http://a'), start('http://b')];
  await createShop(a);
  await a.call('close_wallet', {}, 'shop');
  expect(await b.call('list_wallets')).toEqual({ wallets: [{ name: 'shop', open: false }] });
});

test('list_wallets shows wallets of the directory that the cluster does not know, without a holder', async () => {
  const files = new WalletServer({});
  const alone = new WalletManager(files.settings);
  for (const filename of ['attic', 'shop', 'zoo'])
    await alone.scope(filename).createWallet({ filename, password: 'p', language: 'English' });
  await alone.close();
  const [a, b] = [start('http://a', undefined, files), start('http://b')];
  await a.manager.scope('shop').openWallet({ filename: '', password: 'p' });
  const shop = expect.objectContaining({ name: 'shop', open: true, holder: 'http://a' });
  const [attic, zoo] = ['attic', 'zoo'].map((name) => ({ name, open: false }));
  expect(await a.call('list_wallets')).toEqual({ wallets: [attic, shop, zoo] });
  expect(await b.call('list_wallets')).toEqual({ wallets: [shop] });
  await a.manager.scope('attic').openWallet({ filename: '', password: 'p' });
  expect(await a.call('list_wallets')).toEqual({
    wallets: [expect.objectContaining({ name: 'attic', open: true, holder: 'http://a' }), shop, zoo],
  });
});

describe('another process', () => {
  test('is given a wallet that it asks for', async () => {
    const [a, b] = [start('http://a'), start('http://b')];
    await createShop(a);
    join(a);
    expect(await a.node.answer('give', { name: 'shop', to: 'http://b' })).toEqual({});
    expect([isOpenAt(a), holderOf()]).toEqual([false, 'http://b']);
    join(b);
    await openAt(b);
    expect(labelAt(b)).toBe('till 4');
  });

  test('asks for wallets until it has its share', async () => {
    const [a, b] = [start('http://a'), start('http://b')];
    const create = (filename: string) =>
      a.manager.scope(filename).createWallet({ filename, password: 'p', language: 'English' });
    await create('one');
    await create('two');
    for (const process of [a, b]) join(process);
    await until('a wallet is open there', () => b.manager.openWallets().length === 1 || undefined);
    expect([holderOf('one'), holderOf('two')].sort()).toEqual(['http://a', 'http://b']);
  });

  test('learns for which wallets this one has the password', async () => {
    const a = start('http://a', ['shop']);
    expect(await a.node.answer('accepts', { name: 'shop' })).toEqual({ accepts: true });
    expect(await a.node.answer('accepts', { name: 'other' })).toEqual({ accepts: false });
    await a.node.drain();
    expect(await a.node.answer('accepts', { name: 'shop' })).toEqual({ accepts: false });
  });

  test.each([
    ['give', { name: 'unknown', to: 'http://b' }],
    ['give', { name: 'shop' }],
    ['give', { name: 'shop', to: 7 }],
    ['take', { name: 'shop', to: 'http://b' }],
    ['accepts', {}],
    ['accepts', null],
    ['accepts', { name: ['shop'] }],
  ])('is refused %s with %j', async (action, body) => {
    const a = start('http://a');
    await createShop(a);
    await expect(a.node.answer(action, body)).rejects.toMatchObject({
      fault: { kind: 'bad_cluster_request' },
    });
    expect([isOpenAt(a), holderOf()]).toEqual([true, 'http://a']);
  });
});

describe('a process that stops', () => {
  test('gives its wallets to the one that takes them', async () => {
    const [a, b] = [start('http://a'), start('http://b')];
    await createShop(a);
    for (const process of [a, b]) join(process);
    await a.manager.leaveCluster();
    await openAt(b);
    expect([isOpenAt(a), labelAt(b), holderOf()]).toEqual([false, 'till 4', 'http://b']);
  });

  test.each([
    ['no other process lives', undefined],
    ['no other process has the password', []],
  ] as const)('leaves them to the next one when it closes, if %s', async (_, passwords) => {
    const a = start('http://a');
    if (passwords !== undefined) start('http://b', passwords);
    await createShop(a);
    join(a);
    await a.manager.leaveCluster();
    expect([isOpenAt(a), holderOf()]).toEqual([true, 'http://a']);
    expect(a.files.lines).toContainEqual(expect.objectContaining({ level: 40, name: 'shop' }));
    await a.manager.close();
    expect(existsSync(a.files.paths('shop').keys)).toBe(true);
    // The next process that has the password serves it.
    expect(database.rows.get('shop')).toMatchObject({ holder: 'http://a', process: undefined });
  });
});

describe('a wallet that is closed on purpose', () => {
  test('stays closed, although the process has read the wallets of the cluster before', async () => {
    const a = start('http://a');
    await createShop(a);
    const { leases } = a.cluster;
    const before = await leases.list();
    await a.call('close_wallet', {}, 'shop');
    let looks = 0;
    leases.list = async () => {
      looks += 1;
      return before;
    };
    join(a);
    await until('some looks', () => looks >= 3 || undefined);
    expect([isOpenAt(a), holderOf()]).toEqual([false, undefined]);
  });

  test('can be opened again', async () => {
    const a = start('http://a');
    await createShop(a);
    await a.call('close_wallet', {}, 'shop');
    await a.manager.scope('shop').openWallet({ filename: '', password: 'p' });
    expect([labelAt(a), holderOf()]).toEqual(['till 4', 'http://a']);
  });
});

test('a member that is gone gets no wallet, and the wallet is opened here again', async () => {
  const [a] = [start('http://a'), start('http://b')];
  await createShop(a);
  join(a);
  const { leases } = a.cluster;
  leases.handOver = () => Promise.reject(new MemberGone('http://b'));
  await expect(a.node.answer('give', { name: 'shop', to: 'http://b' })).rejects.toMatchObject({
    fault: { kind: 'bad_cluster_request', reason: expect.stringContaining('http://b') },
  });
  await openAt(a);
  expect(labelAt(a)).toBe('till 4');
});
