import { describe, expect, test } from '@jest/globals';
import { ClusterNode } from '../../../src/services/cluster/cluster-node.js';
import { replicationFault } from '../../../src/services/cluster/cluster-faults.js';
import { namedLog } from '../../../src/services/context/wallet-context.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import type { Lease } from '../../../src/cluster/lease.js';
import { FakeCluster } from '../../support/fakes/fake-cluster.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';

const silent = namedLog({ info: () => undefined, warn: () => undefined, error: () => undefined }, '');

/** Cluster of nodes whose wallets have no files: opening a wallet only takes its lease. */
function world() {
  const clock = new VirtualClock();
  const database = new FakeCluster(clock);
  const nodes = new Map<string, ClusterNode>();
  /** Processes that tried to open a wallet, and failed. */
  const tries: string[] = [];
  const join = (
    url: string,
    { passwords = () => true, fails }: { passwords?: (name: string) => boolean; fails?: () => Error } = {},
  ) => {
    const cluster = database.join(url);
    const open = new Map<string, Lease>();
    const awaited = new Set<string>();
    const node = new ClusterNode({
      ...{ cluster, url, clock, log: silent },
      hasPassword: passwords,
      ask: async (member, action, body) => {
        const asked = nodes.get(member);
        if (asked === undefined) throw new Error('no such member');
        return asked.answer(action, body as Record<string, unknown>);
      },
    });
    nodes.set(url, node);
    cluster.leases.onLost(({ name }) => void open.delete(name));
    node.start({
      open: async (name) => {
        const taken = await cluster.leases.take(name).catch((error: unknown) => {
          throw replicationFault(error, name);
        });
        if (taken?.state !== 'taken')
          throw new WalletError({ kind: 'wallet_elsewhere', name, holder: 'another' });
        if (fails !== undefined) {
          tries.push(url);
          await cluster.leases.abandon(taken.lease);
          throw fails();
        }
        open.set(name, taken.lease);
      },
      isOpen: (name) => open.has(name),
      isAwaited: (name) => awaited.has(name),
      handOver: async () => undefined,
    });
    return { node, cluster, open, awaited };
  };
  return { clock, database, join, tries };
}

describe('a wallet whose holder has ended', () => {
  test('is opened by the assigned process after its lease has ended', async () => {
    const { clock, join } = world();
    const a = join('http://a');
    const b = join('http://b');
    await a.cluster.leases.create('shop', new Uint8Array());
    await clock.advance(3000);
    expect(b.open.has('shop')).toBe(false);
    a.cluster.stop();
    await a.node.stop();
    await clock.advance(6000);
    expect([...b.open.keys()]).toEqual(['shop']);
  });

  test('is opened as soon as its lease has ended, between two looks', async () => {
    const { clock, join } = world();
    const a = join('http://a');
    const b = join('http://b');
    await a.cluster.leases.create('shop', new Uint8Array());
    await clock.advance(1230);
    a.cluster.stop();
    await a.node.stop();
    const { remainingMs } = (await b.cluster.members.list()).find(({ url }) => url === 'http://a') ?? {};
    await clock.advance((remainingMs ?? 0) - 1);
    expect(b.open.has('shop')).toBe(false);
    await clock.advance(60);
    expect([...b.open.keys()]).toEqual(['shop']);
  });

  test('is opened by another process if the assigned one does not have its password', async () => {
    const { clock, join } = world();
    const a = join('http://a');
    const b = join('http://b', { passwords: () => false });
    const c = join('http://c');
    await a.cluster.leases.create('shop', new Uint8Array());
    a.cluster.stop();
    await a.node.stop();
    await clock.advance(12_000);
    expect(b.open.size).toBe(0);
    expect([...c.open.keys()]).toEqual(['shop']);
  });

  test('is not opened if its holder has released it', async () => {
    const { clock, join } = world();
    const a = join('http://a');
    const b = join('http://b');
    await a.cluster.leases.release(await a.cluster.leases.create('shop', new Uint8Array()));
    await clock.advance(20_000);
    expect(a.open.size + b.open.size).toBe(0);
  });
});

describe('a wallet that cannot be opened by the assigned process', () => {
  for (const [kind, fails] of [
    ['a fault', () => new WalletError({ kind: 'wrong_password' })],
    ['another error', () => new Error('its password file cannot be read')],
  ] as const)
    test(`is opened by another one after ${kind}, and not tried all the time`, async () => {
      const { clock, join, tries } = world();
      const a = join('http://a');
      join('http://b', { fails });
      const c = join('http://c');
      await a.cluster.leases.create('shop', new Uint8Array());
      a.cluster.stop();
      await a.node.stop();
      await clock.advance(20_000);
      expect([...c.open.keys()]).toEqual(['shop']);
      expect(tries).toEqual(['http://b']);
    });
});

describe('place', () => {
  test('is another process that holds the wallet', async () => {
    const { clock, join } = world();
    const a = join('http://a');
    const b = join('http://b');
    await a.cluster.leases.create('shop', new Uint8Array());
    await clock.advance(1000);
    expect(await b.node.place('shop')).toEqual({ url: 'http://a' });
  });

  test('is this process for a wallet that is closed or unknown', async () => {
    const { clock, join } = world();
    const a = join('http://a');
    await a.cluster.leases.release(await a.cluster.leases.create('shop', new Uint8Array()));
    await clock.advance(1000);
    expect(await a.node.place('shop')).toBe('here');
    expect(await a.node.place('other')).toBe('here');
  });

  test('is not known while this process is about to open a wallet that none holds', async () => {
    const { clock, join } = world();
    const a = join('http://a');
    const b = join('http://b');
    await a.cluster.leases.create('shop', new Uint8Array());
    await clock.advance(1000);
    for (const name of ['shop', 'till']) b.awaited.add(name);
    expect(await b.node.place('till')).toBe('changing');
    expect(await b.node.place('shop')).toEqual({ url: 'http://a' });
    b.awaited.clear();
    expect(await b.node.place('till')).toBe('here');
  });

  // The list that a process read before does not decide that a wallet has no holder.
  for (const [from, isKnown] of [
    ['a wallet that was just created in another process', false],
    ['a wallet that was just opened in another process', true],
  ] as const)
    test(`is the other process for ${from}`, async () => {
      const { clock, join } = world();
      const a = join('http://a');
      const b = join('http://b');
      if (isKnown) await a.cluster.leases.release(await a.cluster.leases.create('shop', new Uint8Array()));
      await clock.advance(1000);
      expect(await b.node.place('shop')).toBe('here');
      if (isKnown) await a.cluster.leases.take('shop');
      else await a.cluster.leases.create('shop', new Uint8Array());
      expect(await b.node.place('shop')).toEqual({ url: 'http://a' });
    });

  test('is the other process for a wallet that was created here and just given to it', async () => {
    const { clock, join } = world();
    const a = join('http://a');
    join('http://b');
    await clock.advance(1000);
    await a.cluster.leases.handOver(await a.cluster.leases.create('shop', new Uint8Array()), 'http://b');
    expect(await a.node.place('shop')).toEqual({ url: 'http://b' });
  });

  test('is the other process if it created the wallet while an earlier read was under way', async () => {
    const { clock, database, join } = world();
    const a = join('http://a');
    const b = join('http://b');
    await clock.advance(1000);
    clock.step(1000);
    const before = database.lists;
    const earlier = b.node.place('other');
    while (database.lists === before) await Promise.resolve();
    const after = database.lists;
    await a.cluster.leases.create('shop', new Uint8Array());
    expect([await b.node.place('shop'), await earlier]).toEqual([{ url: 'http://a' }, 'here']);
    expect(database.lists - after).toBe(1);
  });

  test('changes while a wallet has no holder', async () => {
    const { clock, join } = world();
    const a = join('http://a');
    const b = join('http://b', { passwords: () => false });
    await a.cluster.leases.create('shop', new Uint8Array());
    await clock.advance(1000);
    a.cluster.stop();
    await a.node.stop();
    await clock.advance(6000);
    expect(await b.node.place('shop')).toBe('changing');
  });
});

test('a wallet that no process can take over is opened by clients where it is asked for', async () => {
  const { clock, join } = world();
  const a = join('http://a');
  const b = join('http://b', { passwords: () => false });
  await a.cluster.leases.create('shop', new Uint8Array());
  a.cluster.stop();
  await a.node.stop();
  await clock.advance(15_000);
  expect(await b.node.place('shop')).toBe('here');
});

describe('a wallet that this process holds by the list alone', () => {
  // For example, a creation was stored, and its answer was lost.
  test('is opened here, and changes meanwhile', async () => {
    const { clock, join } = world();
    const a = join('http://a');
    await clock.advance(1000);
    await a.cluster.leases.create('shop', new Uint8Array());
    expect(await a.node.place('shop')).toBe('changing');
    await clock.advance(1000);
    expect([...a.open.keys()]).toEqual(['shop']);
  });

  test.each([
    ['has no password', { passwords: () => false }],
    ['cannot open it', { fails: () => new WalletError({ kind: 'wrong_password' }) }],
  ] as const)('can be opened by clients if the process %s', async (_, options) => {
    const { clock, join } = world();
    const a = join('http://a', options);
    const b = join('http://b', { passwords: () => false });
    await clock.advance(1000);
    await a.cluster.leases.create('shop', new Uint8Array());
    expect(await b.node.place('shop')).toEqual({ url: 'http://a' });
    await clock.advance(15_000);
    expect(await a.node.place('shop')).toBe('here');
  });
});

describe('while the database does not answer', () => {
  test('a wallet has its last known holder; one that has none may have got one', async () => {
    const { clock, database, join } = world();
    const a = join('http://a');
    const b = join('http://b');
    await a.cluster.leases.release(await a.cluster.leases.create('closed', new Uint8Array()));
    await a.cluster.leases.create('shop', new Uint8Array());
    await clock.advance(1000);
    const places = () => Promise.all(['shop', 'closed', 'unknown'].map((name) => b.node.place(name)));
    expect(await places()).toEqual([{ url: 'http://a' }, 'here', 'here']);
    database.failing = 'unreachable';
    expect(await places()).toEqual([{ url: 'http://a' }, 'changing', 'changing']);
    await clock.advance(1000);
    expect(b.node.isReachable).toBe(false);
    expect(await places()).toEqual([{ url: 'http://a' }, 'changing', 'changing']);
  });

  // After a pause of the process, for example: its leases ended, and its connections to the database too.
  test('a wallet that this process held by the last list is not closed', async () => {
    const { clock, database, join } = world();
    const fails = () => new WalletError({ kind: 'not_replicated', reason: 'no answer' });
    const a = join('http://a', { fails });
    await a.cluster.leases.create('shop', new Uint8Array());
    await clock.advance(20_000);
    expect(await a.node.place('shop')).toBe('changing');
    database.failing = 'unreachable';
    expect(await a.node.place('shop')).toBe('changing');
    await clock.advance(1000);
    expect(await a.node.place('shop')).toBe('changing');
  });

  test('a wallet that the list gives to this process waits for a quorum', async () => {
    const { clock, database, join } = world();
    const a = join('http://a');
    await clock.advance(1000);
    await a.cluster.leases.create('shop', new Uint8Array());
    database.failing = 'no quorum';
    await clock.advance(1000);
    expect([a.open.size, await a.node.place('shop')]).toEqual([0, 'changing']);
  });
});

test('requests during a read of the wallets share the next read', async () => {
  const { clock, database, join } = world();
  const { node } = join('http://a');
  await clock.advance(1000);
  await node.stop();
  clock.step(1000);
  const before = database.lists;
  const first = node.place('other');
  while (database.lists === before) await Promise.resolve();
  await Promise.all([first, ...Array.from({ length: 49 }, () => node.place('other'))]);
  expect(database.lists - before).toBe(2);
});

test('a database that does not answer is noted, and noted once it answers again', async () => {
  const { clock, database, join } = world();
  const { node } = join('http://a');
  await clock.advance(1000);
  expect(node.isReachable).toBe(true);
  database.failing = 'unreachable';
  await clock.advance(1000);
  expect(node.isReachable).toBe(false);
  database.failing = undefined;
  await clock.advance(1000);
  expect(node.isReachable).toBe(true);
});
