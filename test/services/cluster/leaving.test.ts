import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Cluster } from '../../../src/cluster/cluster.js';
import { Custody } from '../../../src/services/cluster/custody.js';
import { assertNoCopy } from '../../../src/services/cluster/local-copy.js';
import {
  WalletDirectory,
  type WalletPaths,
  MARK_ENDING,
} from '../../../src/services/context/wallet-directory.js';
import { encodeBaseHead } from '../../../src/store/replication/frame.js';
import { lockWallet } from '../../../src/store/file/wallet-lock.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { FAKE_LEASE_MS, FakeCluster } from '../../support/fakes/fake-cluster.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';

const PAGE = 512;
const place = { host: 'till-1', directory: '/wallets' };
let folder: string;
let clock: VirtualClock;
let fake: FakeCluster;
let members: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'leaving-'));
  clock = new VirtualClock();
  fake = new FakeCluster(clock);
  members = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A page of a store, which has the size of its pages where SQLite has it. */
function pageOf(text: string): Uint8Array {
  const page = new Uint8Array(PAGE);
  page.set(Buffer.from(text));
  page.set([PAGE >> 8, PAGE & 255], 16);
  return page;
}

/** A machine with a directory of wallets. */
const machine = (name: string): WalletPaths => new WalletDirectory(join(folder, name)).locate('shop');

/** A process of a machine, which ends where `killedAt` says: nothing that it does afterwards reaches the database. */
function custodyOf(killedAt?: { readonly call: string; readonly when: 'before' | 'after' }): Custody {
  const member = fake.join(`https://p${(members += 1)}`, 0);
  const killing = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, key) {
        const method = target[key as keyof T];
        if (key !== killedAt?.call || typeof method !== 'function') return method;
        return async (...args: unknown[]) => {
          const run = (): unknown => (method as (...given: unknown[]) => unknown).apply(target, args);
          if (killedAt.when === 'after') await run();
          member.stop();
          fake.failing = 'unreachable';
          throw new Error('killed');
        };
      },
    });
  const { leases, logs, quorum } = member as Cluster;
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  return new Custody({ leases: killing(leases), logs: killing(logs), quorum, clock, log });
}

/** Begins again after a process was killed. */
async function afterKill(): Promise<void> {
  fake.failing = undefined;
  await clock.advance(2 * FAKE_LEASE_MS);
}

/** Adds a wallet to the cluster that is closed there, and whose files no machine has. */
async function addWallet(text: string): Promise<void> {
  const { leases, logs } = fake.join('https://maker');
  const lease = await leases.create('shop', Buffer.from('keys'), { hasStore: true });
  const head = encodeBaseHead({ sequence: 1, pageSize: PAGE, pageCount: 1 });
  await logs.putBase(lease, 1, [concatBytes(head, pageOf(text))]);
  await leases.release(lease);
}

const row = () => fake.rows.get('shop');
const contents = ({ keys, store }: WalletPaths): (string | undefined)[] =>
  [keys, store].map((path) =>
    existsSync(path) ? readFileSync(path, 'latin1').slice(0, 16).replaceAll('\0', '') : undefined,
  );
const mark = ({ store }: WalletPaths): unknown => JSON.parse(readFileSync(`${store}${MARK_ENDING}`, 'utf8'));

describe('a wallet that leaves the cluster', () => {
  test('has its files in the directory, which a process without a cluster opens', async () => {
    await addWallet('content');
    const epoch = row()?.epoch ?? 0n;
    const paths = machine('a');
    expect(await custodyOf().takeOut(paths, place)).toBe(true);
    expect(contents(paths)).toEqual(['keys', 'content']);
    expect(row()).toMatchObject({ epoch: epoch + 2n, holder: undefined, departure: place });
    expect(() => assertNoCopy(paths)).not.toThrow();
    expect(mark(paths)).toEqual({ epoch: '', departure: row()?.departure?.token });
  });

  test('is taken by no process, which says what its files are', async () => {
    await addWallet('content');
    const [a, b, c] = [machine('a'), machine('b'), machine('c')];
    const former = custodyOf();
    await (await former.acquire(b))?.end(true);
    await custodyOf().takeOut(a, place);
    for (const custody of [former, custodyOf()]) {
      const refusal = (reason: RegExp) => ({
        fault: { kind: 'bad_cluster_request', reason: expect.stringMatching(reason) },
      });
      await expect(custody.acquire(a)).rejects.toMatchObject(
        refusal(/its own files are here.*cluster join shop/),
      );
      await expect(custody.acquire(b)).rejects.toMatchObject(
        refusal(/left the cluster at 2.*in \/wallets on till-1\. The files here are an older copy/),
      );
      await expect(custody.acquire(c)).rejects.toMatchObject(refusal(/in \/wallets on till-1$/));
    }
    expect(() => assertNoCopy(b)).toThrow(expect.objectContaining({ fault: expect.anything() }));
    expect(contents(c)).toEqual([undefined, undefined]);
  });

  test('leaves once, to the files of one machine', async () => {
    await addWallet('content');
    const [a, b] = [machine('a'), machine('b')];
    const results = await Promise.allSettled([
      custodyOf().takeOut(a, place),
      custodyOf().takeOut(b, { ...place, host: 'till-2' }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [paths, other] = results[0].status === 'fulfilled' ? [a, b] : [b, a];
    writeFileSync(paths.store, pageOf('changed later'));
    expect(await custodyOf().takeOut(paths, place)).toBe(false);
    expect(contents(paths)).toEqual(['keys', 'changed later']);
    await expect(custodyOf().takeOut(other, place)).rejects.toMatchObject({
      fault: { kind: 'bad_cluster_request' },
    });
  });

  test('stays while another process holds it, and is unknown where it never was', async () => {
    const paths = machine('a');
    const unknown = { fault: { reason: expect.stringMatching(/has no wallet 'shop'/) } };
    await expect(custodyOf().takeOut(paths, place)).rejects.toMatchObject(unknown);
    await addWallet('content');
    const holder = custodyOf();
    await holder.acquire(machine('b'));
    await expect(custodyOf().takeOut(paths, place)).rejects.toMatchObject({
      fault: { kind: 'wallet_elsewhere', holder: 'https://p2' },
    });
    expect(row()?.departure).toBeUndefined();
    expect(contents(paths)).toEqual([undefined, undefined]);
  });

  test.each([
    ['take', 'after'],
    ['read', 'before'],
    ['leave', 'before'],
    ['leave', 'after'],
  ] as const)('leaves when that is repeated after a kill at %s (%s)', async (call, when) => {
    await addWallet('content');
    const paths = machine('a');
    await expect(custodyOf({ call, when }).takeOut(paths, place)).rejects.toThrow();
    expect(row()?.departure !== undefined).toBe(call === 'leave' && when === 'after');
    // Before the cluster has confirmed it, its files are a copy.
    if (existsSync(paths.keys)) expect(() => assertNoCopy(paths)).toThrow();
    await afterKill();
    await custodyOf().takeOut(paths, place);
    expect(contents(paths)).toEqual(['keys', 'content']);
    expect(() => assertNoCopy(paths)).not.toThrow();
    expect(row()?.departure).toBeDefined();
  });
});

describe('a wallet that comes back', () => {
  let paths: WalletPaths;
  beforeEach(async () => {
    await addWallet('content');
    paths = machine('a');
    await custodyOf().takeOut(paths, place);
    writeFileSync(paths.store, pageOf('changed'));
  });

  /** Reads the wallet as another process takes it over. */
  const elsewhere = async (): Promise<(string | undefined)[]> => {
    const other = machine('b');
    await (await custodyOf().acquire(other))?.end(true);
    return contents(other);
  };

  test('has what was changed meanwhile, in every process', async () => {
    const epoch = row()?.epoch ?? 0n;
    expect(await custodyOf().bringIn(paths)).toBe(true);
    expect(row()).toMatchObject({ epoch: epoch + 1n, departure: undefined, holder: undefined });
    expect(await elsewhere()).toEqual(['keys', 'changed']);
    expect(() => assertNoCopy(paths)).toThrow(expect.objectContaining({ fault: expect.anything() }));
    expect(await custodyOf().bringIn(paths)).toBe(false);
  });

  test('leaves again, and its former own files are opened by nobody', async () => {
    const stale = machine('stale');
    for (const [from, to] of [
      [paths.keys, stale.keys],
      [paths.store, stale.store],
      [`${paths.store}${MARK_ENDING}`, `${stale.store}${MARK_ENDING}`],
    ] as const)
      writeFileSync(to, readFileSync(from));
    await custodyOf().bringIn(paths);
    const moved = { fault: { reason: expect.stringMatching(/came back with others: move these away/) } };
    await expect(custodyOf().acquire(stale)).rejects.toMatchObject(moved);
    await clock.advance(2 * FAKE_LEASE_MS);
    await custodyOf().takeOut(paths, place);
    expect(contents(paths)).toEqual(['keys', 'changed']);
    await expect(custodyOf().bringIn(stale)).rejects.toMatchObject({
      fault: { kind: 'bad_cluster_request' },
    });
    expect(contents(stale)).toEqual(['keys', 'changed']);
  });

  test('comes back with its own files alone, when they are closed', async () => {
    const older = machine('older');
    writeFileSync(older.keys, 'keys');
    writeFileSync(older.store, pageOf('older'));
    await expect(custodyOf().bringIn(older)).rejects.toMatchObject({
      fault: { reason: expect.stringMatching(/an older copy of it/) },
    });
    const lock = lockWallet(paths.lock, 'shop');
    await expect(custodyOf().bringIn(paths)).rejects.toMatchObject({ fault: { kind: 'wallet_locked' } });
    lock.release();
    writeFileSync(`${paths.store}-wal`, new Uint8Array(1000));
    await expect(custodyOf().bringIn(paths)).rejects.toMatchObject({
      fault: { reason: expect.stringMatching(/has not closed it/) },
    });
    expect(row()?.departure).toBeDefined();
    rmSync(`${paths.store}-wal`);
    expect(await custodyOf().bringIn(paths)).toBe(true);
    expect(await elsewhere()).toEqual(['keys', 'changed']);
  });

  test.each([
    ['create', 'before'],
    ['create', 'after'],
    ['putBase', 'before'],
    ['putBase', 'after'],
    ['release', 'before'],
    ['release', 'after'],
  ] as const)('comes back when that is repeated after a kill at %s (%s)', async (call, when) => {
    await custodyOf({ call, when })
      .bringIn(paths)
      .catch(() => undefined);
    expect(() => assertNoCopy(paths)).toThrow();
    await afterKill();
    await custodyOf().bringIn(paths);
    expect(row()?.departure).toBeUndefined();
    await afterKill();
    expect(await elsewhere()).toEqual(['keys', 'changed']);
  });

  test.each([
    ['create', 'before'],
    ['create', 'after'],
    ['putBase', 'before'],
    ['putBase', 'after'],
  ] as const)(
    'stays outside, with all its changes, when it leaves after a kill at %s (%s)',
    async (call, when) => {
      await expect(custodyOf({ call, when }).bringIn(paths)).rejects.toThrow('killed');
      await afterKill();
      await custodyOf().takeOut(paths, place);
      expect(contents(paths)).toEqual(['keys', 'changed']);
      expect(() => assertNoCopy(paths)).not.toThrow();
      expect(row()?.departure).toBeDefined();
    },
  );

  test('is opened with the files here by a process that finds it on its way', async () => {
    await expect(custodyOf({ call: 'create', when: 'before' }).bringIn(paths)).rejects.toThrow('killed');
    await afterKill();
    const custody = custodyOf();
    expect(await custody.acquire(paths)).toBeUndefined();
    const held = await custody.register(paths, { hasStore: true });
    expect(held.lease.epoch).toBe(row()?.epoch);
    expect(contents(paths)).toEqual(['keys', 'changed']);
  });
});

describe('a wallet that the cluster has', () => {
  test('is not joined by files that are no copy of it', async () => {
    await addWallet('content');
    const [copy, other, none] = [machine('copy'), machine('other'), machine('none')];
    await (await custodyOf().acquire(copy))?.end(true);
    writeFileSync(other.keys, 'keys');
    writeFileSync(other.store, pageOf('of its own'));
    for (const paths of [copy, none]) expect(await custodyOf().bringIn(paths)).toBe(false);
    await expect(custodyOf().bringIn(other)).rejects.toMatchObject({
      fault: { reason: expect.stringMatching(/are no copy of it.*move them away/) },
    });
    expect(contents(other)).toEqual(['keys', 'of its own']);
  });
});

describe('a wallet that the cluster does not know', () => {
  test('joins with its whole store', async () => {
    const paths = machine('a');
    writeFileSync(paths.keys, 'keys');
    writeFileSync(paths.store, pageOf('older'));
    expect(await custodyOf().bringIn(paths)).toBe(true);
    const other = machine('b');
    await (await custodyOf().acquire(other))?.end(true);
    expect(contents(other)).toEqual(['keys', 'older']);
  });
});
