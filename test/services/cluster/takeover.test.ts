import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { WalletEntry } from '../../../src/cluster/lease.js';
import { NotReplicated } from '../../../src/cluster/errors.js';
import { ClusterNode } from '../../../src/services/cluster/cluster-node.js';
import { WalletManager } from '../../../src/services/manager/wallet-manager.js';
import type { OpenWallet } from '../../../src/services/open-wallet.js';
import { systemClock } from '../../../src/util/clock.js';
import { FakeCluster, FAKE_LEASE_MS } from '../../support/fakes/fake-cluster.js';
import { until } from '../../support/fakes/until.js';
import { fault } from '../../support/wallets/service-wallet.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';
import { WalletServer } from '../../support/processes/wallet-server.js';
import { itAtNight } from '../../support/jest/lanes.js';

/** One process of the cluster, with a wallet directory of its own. */
interface Process {
  readonly files: WalletServer;
  readonly manager: WalletManager;
  /** Ends the renewals of the leases, as the death of the process does. */
  stop(): void;
  /** Ends the leases in the view of the process only. */
  lapse(): void;
  readonly node: ClusterNode;
}

const INDEX = { major: 0, minor: 0 };
const SHOP = { filename: 'shop', password: 'p', language: 'English' };

let clock: VirtualClock;
let database: FakeCluster;
let processes: Process[];

type JoinedCluster = ReturnType<FakeCluster['join']>;

/** Starts a process. @param change changes its view of the cluster. */
function start(url: string, change: (cluster: JoinedCluster) => JoinedCluster = (same) => same): Process {
  const cluster = change(database.join(url));
  const files = new WalletServer({});
  const node = new ClusterNode({
    ...{ cluster, url, clock: systemClock, log: files.settings.log },
    hasPassword: () => true,
    ask: () => Promise.reject(new Error('nobody is asked')),
  });
  const manager = new WalletManager({ ...files.settings, cluster: node });
  const started = { files, manager, node, stop: cluster.stop, lapse: cluster.lapse };
  processes.push(started);
  return started;
}

/** Starts a process again with the directory of one that was killed. */
async function restart(former: Process, url: string): Promise<Process> {
  const { files } = former;
  await former.manager.close();
  processes.splice(processes.indexOf(former), 1);
  const cluster = database.join(url);
  const node = new ClusterNode({
    ...{ cluster, url, clock: systemClock, log: files.settings.log },
    hasPassword: () => true,
    ask: () => Promise.reject(new Error('nobody is asked')),
  });
  const manager = new WalletManager({ ...files.settings, cluster: node });
  const started = { files, manager, node, stop: cluster.stop, lapse: cluster.lapse };
  processes.push(started);
  return started;
}

/** Ends a process without a last word, and lets its leases end. */
async function kill({ stop }: Process): Promise<void> {
  stop();
  clock.elapsed += FAKE_LEASE_MS + 1;
  await clock.advance(0);
}

function shopOf({ manager }: Process): OpenWallet {
  const wallet = manager.scope('shop').find();
  if (wallet?.held === undefined) throw new Error('the wallet is not held');
  return wallet;
}

const entryOf = async ({ node }: Process): Promise<WalletEntry | undefined> =>
  (await node.currentEntries()).find(({ name }) => name === 'shop');

const settled = async (process: Process): Promise<void> => shopOf(process).held?.settled();
const open = ({ manager }: Process): Promise<void> =>
  manager.scope('shop').openWallet({ filename: '', password: 'p' });

beforeEach(() => {
  clock = new VirtualClock();
  database = new FakeCluster(clock);
  processes = [];
});

afterEach(async () => {
  database.failing = undefined;
  for (const { manager, files } of processes) {
    await manager.close();
    await files.close();
  }
});

describe('a wallet of a cluster', () => {
  test('has its settled changes in the process that takes it over', async () => {
    const a = start('http://a');
    const b = start('http://b');
    await a.manager.scope('shop').createWallet(SHOP);
    shopOf(a).accounts.setLabel(INDEX, 'first');
    await settled(a);
    shopOf(a).accounts.setLabel(INDEX, 'second');
    await settled(a);
    const [{ index = undefined } = {}] = await shopOf(a).accounts.createAddresses(0, 1, 'street');
    await settled(a);
    await kill(a);
    await open(b);
    const { accounts } = shopOf(b);
    expect(accounts.label(INDEX)).toBe('second');
    expect(accounts.label(index ?? INDEX)).toBe('street');
  });

  test('is not opened while a page in the database is damaged, although nothing reads it at the start', async () => {
    const a = start('http://a');
    const b = start('http://b');
    await a.manager.scope('shop').createWallet(SHOP);
    await settled(a);
    shopOf(a).annotations.setAttribute('long', 'x'.repeat(1 << 20));
    await settled(a);
    await kill(a);
    const frames = [...(database.rows.get('shop')?.frames.values() ?? [])];
    const [longest] = frames.sort((one, other) => other.length - one.length);
    expect(longest?.length).toBeGreaterThan(1 << 20);
    const flip = (): void => {
      if (longest !== undefined) longest[longest.length >> 1] = (longest[longest.length >> 1] ?? 0) ^ 1;
    };
    flip();
    await expect(open(b)).rejects.toMatchObject({ fault: { kind: 'wallet_corrupt', name: 'shop' } });
    expect(b.manager.scope('shop').find()).toBeUndefined();
    flip();
    await open(b);
    expect(shopOf(b).annotations.attribute('long')).toHaveLength(1 << 20);
  });

  test('is refused to a second process while it is held, and to one with another password', async () => {
    const a = start('http://a');
    const b = start('http://b');
    await a.manager.scope('shop').createWallet(SHOP);
    await settled(a);
    await expect(open(b)).rejects.toMatchObject(
      fault({ kind: 'wallet_elsewhere', name: 'shop', holder: 'http://a' }),
    );
    await a.manager.scope('shop').closeWallet(shopOf(a));
    await expect(
      b.manager.scope('shop').openWallet({ filename: '', password: 'wrong' }),
    ).rejects.toMatchObject(fault({ kind: 'wrong_password' }));
    await open(b);
    expect(database.rows.get('shop')?.holder).toBe('http://b');
  });

  test('is not held by a process whose lease ends while it writes the files', async () => {
    const a = start('http://a');
    let isLate = true;
    const b = start('http://b', (cluster) => ({
      ...cluster,
      logs: {
        ...cluster.logs,
        async read(name) {
          const content = await cluster.logs.read(name);
          if (isLate) {
            cluster.stop();
            clock.elapsed += FAKE_LEASE_MS + 1;
          }
          return content;
        },
      },
    }));
    await a.manager.scope('shop').createWallet(SHOP);
    await settled(a);
    await kill(a);
    await expect(open(b)).rejects.toMatchObject({ fault: { kind: 'wallet_elsewhere', name: 'shop' } });
    expect(b.manager.settings.cluster?.custody.all()).toEqual([]);
    expect(b.manager.scope('shop').find()).toBeUndefined();
    isLate = false;
    await open(b);
    expect(shopOf(b).held?.isLost).toBe(false);
  });

  test('cannot be created where the cluster has one of its name', async () => {
    const a = start('http://a');
    const b = start('http://b');
    await a.manager.scope('shop').createWallet(SHOP);
    await expect(b.manager.scope('shop').createWallet(SHOP)).rejects.toMatchObject(
      fault({ kind: 'wallet_exists', name: 'shop' }),
    );
    expect(existsSync(b.files.paths('shop').keys)).toBe(false);
  });

  test('is not written over files of its name that are no copy', async () => {
    const a = start('http://a');
    const b = start('http://b');
    await a.manager.scope('shop').createWallet(SHOP);
    await settled(a);
    await kill(a);
    writeFileSync(b.files.paths('shop').keys, 'another wallet');
    await expect(open(b)).rejects.toMatchObject(
      fault({ kind: 'wallet_exists', name: 'shop', found: 'wallet' }),
    );
    expect(readFileSync(b.files.paths('shop').keys, 'utf8')).toBe('another wallet');
    // Another process can take it over.
    expect(await entryOf(b)).toMatchObject({ holder: 'http://b', isLapsed: true });
  });

  test('answers nothing in a process whose lease has ended, and drops what only that process has', async () => {
    const a = start('http://a');
    const b = start('http://b');
    await a.manager.scope('shop').createWallet(SHOP);
    await settled(a);
    database.failing = 'no quorum';
    shopOf(a).accounts.setLabel(INDEX, 'lost');
    await expect(settled(a)).rejects.toMatchObject({ fault: { kind: 'not_replicated' } });
    const { held } = shopOf(a);
    await kill(a);
    await expect(held?.settled()).rejects.toMatchObject({ fault: { kind: 'wallet_elsewhere' } });
    database.failing = undefined;
    await open(b);
    expect(shopOf(b).accounts.label(INDEX)).not.toBe('lost');
  });

  test('counts as changing while its lease has ended in its process, and not yet in the database', async () => {
    const a = start('http://a');
    await a.manager.scope('shop').createWallet(SHOP);
    await settled(a);
    a.lapse();
    await until('the end of the holding', () => a.node.custody.find('shop') === undefined);
    expect(await entryOf(a)).toMatchObject({ holder: 'http://a', isLapsed: false });
    expect(await a.node.place('shop')).toBe('changing');
    await kill(a);
    expect(await entryOf(a)).toMatchObject({ holder: 'http://a', isLapsed: true });
    expect(await a.node.place('shop')).toBe('changing');
  });

  test('is opened by its former holder from the files that it has left, unless another process has held it', async () => {
    const a = start('http://a');
    const b = start('http://b');
    await a.manager.scope('shop').createWallet(SHOP);
    shopOf(a).accounts.setLabel(INDEX, 'of a');
    await settled(a);
    await a.manager.scope('shop').closeWallet(shopOf(a));
    await open(a);
    expect(shopOf(a).accounts.label(INDEX)).toBe('of a');
    await a.manager.scope('shop').closeWallet(shopOf(a));
    await open(b);
    shopOf(b).accounts.setLabel(INDEX, 'of b');
    await settled(b);
    await b.manager.scope('shop').closeWallet(shopOf(b));
    await open(a);
    expect(shopOf(a).accounts.label(INDEX)).toBe('of b');
  });

  test('is refused to a process without a cluster, which could pay beside its holder', async () => {
    const a = start('http://a');
    await a.manager.scope('shop').createWallet(SHOP);
    await settled(a);
    await a.manager.close();
    const alone = new WalletManager(a.files.settings);
    await expect(open({ ...a, manager: alone })).rejects.toMatchObject({
      fault: { kind: 'bad_cluster_request' },
    });
    await alone.close();
  });

  test('has its new password in the process that takes it over', async () => {
    const a = start('http://a');
    const b = start('http://b');
    await a.manager.scope('shop').createWallet(SHOP);
    await settled(a);
    await shopOf(a).keystore.changePassword('p', 'q');
    await settled(a);
    await kill(a);
    await expect(open(b)).rejects.toMatchObject(fault({ kind: 'wrong_password' }));
    await b.manager.scope('shop').openWallet({ filename: '', password: 'q' });
  });
});

describe('a wallet that gets new keys, and with them a new store', () => {
  /** Makes a group of the shop and a second wallet. */
  async function makeGroup(a: Process): Promise<OpenWallet> {
    await a.manager.scope('shop').createWallet(SHOP);
    await a.manager.scope('other').createWallet({ ...SHOP, filename: 'other' });
    await settled(a);
    const other = a.manager.scope('other').find();
    if (other === undefined) throw new Error('the second wallet is not open');
    const message = await other.multisigSetup.prepare(true);
    await shopOf(a).multisigSetup.prepare(true);
    await shopOf(a).multisigSetup.make([message], 2, 'p');
    return shopOf(a);
  }

  test('has both in the process that takes it over', async () => {
    const a = start('http://a');
    const b = start('http://b');
    const { keys } = await makeGroup(a);
    const { spendPublicKey } = keys;
    await settled(a);
    await kill(a);
    await open(b);
    expect(shopOf(b).keys.multisig).toBeDefined();
    expect(shopOf(b).keys.spendPublicKey).toEqual(spendPublicKey);
    shopOf(b).accounts.setLabel(INDEX, 'group');
    await settled(b);
  });

  itAtNight('has neither if the change was not replicated', async () => {
    const a = start('http://a');
    const b = start('http://b');
    await a.manager.scope('shop').createWallet(SHOP);
    await settled(a);
    const before = shopOf(a).keys.spendPublicKey;
    await a.manager.scope('other').createWallet({ ...SHOP, filename: 'other' });
    const message = await a.manager.scope('other').find()?.multisigSetup.prepare(true);
    await settled(a);
    shopOf(a).accounts.setLabel(INDEX, 'unsure');
    database.failing = 'no quorum';
    await expect(shopOf(a).multisigSetup.make([message ?? ''], 2, 'p')).rejects.toMatchObject({
      fault: { kind: 'not_replicated' },
    });
    database.failing = undefined;
    await kill(a);
    await open(b);
    expect(shopOf(b).keys.multisig).toBeUndefined();
    expect(shopOf(b).keys.spendPublicKey).toEqual(before);
  });
});

test('a wallet of the directory that the cluster does not know joins it when it is opened', async () => {
  const alone = new WalletServer({});
  const before = new WalletManager(alone.settings);
  await before.scope('shop').createWallet(SHOP);
  before.scope('shop').find()?.accounts.setLabel(INDEX, 'old');
  await before.close();
  const cluster = database.join('http://a');
  const node = new ClusterNode({
    ...{ cluster, url: 'http://a', clock: systemClock, log: alone.settings.log },
    hasPassword: () => true,
    ask: () => Promise.reject(new Error('nobody is asked')),
  });
  const manager = new WalletManager({ ...alone.settings, cluster: node });
  const a = { files: alone, manager, node, stop: cluster.stop, lapse: cluster.lapse };
  processes.push(a);
  const b = start('http://b');
  await open(a);
  await settled(a);
  await kill(a);
  await open(b);
  expect(shopOf(b).accounts.label(INDEX)).toBe('old');
});

describe('a wallet that is served', () => {
  test('has to be served by another process after an opening that failed', async () => {
    const a = start('http://a');
    const b = start('http://b');
    await a.manager.scope('shop').createWallet(SHOP);
    await settled(a);
    await kill(a);
    await expect(
      b.manager.scope('shop').openWallet({ filename: '', password: 'wrong' }),
    ).rejects.toMatchObject(fault({ kind: 'wrong_password' }));
    expect(await entryOf(b)).toMatchObject({ holder: 'http://b', isLapsed: true });
    await open(b);
  });

  test('has to be served by another process after the end of its own, but not after it was closed', async () => {
    const a = start('http://a');
    const b = start('http://b');
    await a.manager.scope('shop').createWallet(SHOP);
    await settled(a);
    await a.manager.leaveCluster();
    await a.manager.close();
    expect(await entryOf(b)).toMatchObject({ holder: 'http://a', isLapsed: true });
    await open(b);
    await b.manager.scope('shop').closeWallet(shopOf(b));
    expect((await entryOf(b))?.holder).toBeUndefined();
  });

  itAtNight(
    'can be opened again after the database did not take its release, and is released later',
    async () => {
      const a = start('http://a');
      const b = start('http://b');
      await a.manager.scope('shop').createWallet(SHOP);
      await settled(a);
      const closing = a.manager.scope('shop').closeWallet(shopOf(a));
      expect(await a.node.place('shop')).toBe('changing');
      database.failing = 'no quorum';
      await closing;
      database.failing = undefined;
      expect(await entryOf(a)).toMatchObject({ holder: 'http://a', isLapsed: false });
      expect([await a.node.place('shop'), await b.node.place('shop')]).toEqual(['here', { url: 'http://a' }]);
      await open(a);
      expect(shopOf(a).held?.isLost).toBe(false);

      await settled(a);
      database.failing = 'no quorum';
      await a.manager.scope('shop').closeWallet(shopOf(a));
      await a.node.custody.freeRest();
      expect(await entryOf(a)).toMatchObject({ holder: 'http://a' });
      database.failing = undefined;
      await a.node.custody.freeRest();
      expect(await entryOf(a)).toMatchObject({ isLapsed: true });
      expect((await entryOf(a))?.holder).toBeUndefined();
      await open(b);
      expect(await entryOf(a)).toMatchObject({ holder: 'http://b' });
    },
  );

  itAtNight('has to be served by another process if it was to move to one that has ended', async () => {
    const a = start('http://a');
    const b = start('http://b');
    await a.manager.scope('shop').createWallet(SHOP);
    await settled(a);
    const { held } = shopOf(a);
    held?.beginMove('http://gone');
    await expect(shopOf(a).close()).rejects.toMatchObject({ fault: { kind: 'bad_cluster_request' } });
    expect(a.node.custody.all()).toEqual([]);
    expect(await entryOf(b)).toMatchObject({ isLapsed: true });
    await open(b);
  });
});

describe('a wallet that joins the cluster', () => {
  /** Makes a wallet with a label, without a cluster, in the directory of a process. */
  async function makeAlone({ files }: Process): Promise<void> {
    const alone = new WalletManager(files.settings);
    await alone.scope('shop').createWallet(SHOP);
    alone.scope('shop').find()?.accounts.setLabel(INDEX, 'old');
    await alone.close();
  }

  itAtNight('keeps its store if its process ends before the cluster has it', async () => {
    const a = start('http://a');
    const b = start('http://b');
    await makeAlone(a);
    database.beforeBase = () => Promise.reject(new NotReplicated('no standby answers'));
    await open(a);
    await kill(a);
    await expect(open(b)).rejects.toMatchObject({ fault: { kind: 'bad_cluster_request' } });
    expect(existsSync(b.files.paths('shop').keys)).toBe(false);
    database.beforeBase = () => Promise.resolve();
    const again = await restart(a, 'http://a');
    await open(again);
    expect(shopOf(again).accounts.label(INDEX)).toBe('old');
    await settled(again);
    await kill(again);
    await open(b);
    expect(shopOf(b).accounts.label(INDEX)).toBe('old');
  });

  test('is not held if it cannot be opened', async () => {
    const a = start('http://a');
    await makeAlone(a);
    writeFileSync(a.files.paths('shop').store, Buffer.alloc(8192, 1));
    await expect(open(a)).rejects.toMatchObject({ fault: { kind: 'wallet_corrupt' } });
    expect(a.node.custody.all()).toEqual([]);
  });

  test('is refused if it is a copy of a wallet that the cluster does not know', async () => {
    const a = start('http://a');
    await a.manager.scope('shop').createWallet(SHOP);
    await settled(a);
    await a.manager.scope('shop').closeWallet(shopOf(a));
    database.rows.delete('shop');
    await expect(open(a)).rejects.toMatchObject({ fault: { kind: 'bad_cluster_request' } });
    expect(database.rows.size).toBe(0);
  });
});

describe('the keys file', () => {
  test('may be deleted while the wallet is open', async () => {
    const a = start('http://a');
    const b = start('http://b');
    await a.manager.scope('shop').createWallet(SHOP);
    await settled(a);
    rmSync(a.files.paths('shop').keys);
    shopOf(a).accounts.setLabel(INDEX, 'without');
    await settled(a);
    await a.manager.scope('shop').closeWallet(shopOf(a));
    await open(b);
    expect(shopOf(b).accounts.label(INDEX)).toBe('without');
  });

  itAtNight('keeps a new password that is set while the first base is on its way', async () => {
    const a = start('http://a');
    const b = start('http://b');
    let store = (): void => undefined;
    const stored = new Promise<void>((resolve) => (store = resolve));
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    database.beforeBase = () => {
      begin();
      return stored;
    };
    await a.manager.scope('shop').createWallet(SHOP);
    await begun;
    await shopOf(a).keystore.changePassword('p', 'q');
    const { held } = shopOf(a);
    const sent = held?.settled();
    store();
    await sent;
    await kill(a);
    await b.manager.scope('shop').openWallet({ filename: '', password: 'q' });
  });
});
