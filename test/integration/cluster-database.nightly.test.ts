import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { initCluster } from '../../src/cluster/cluster-database.js';
import { type ClusterSettings, OF_COMMAND } from '../../src/cluster/cluster.js';
import {
  ClusterUnreachable,
  Fenced,
  MemberGone,
  NotReplicated,
  WalletKnown,
} from '../../src/cluster/errors.js';
import type { Lease } from '../../src/cluster/lease.js';
import { utf8 } from '../../src/util/bytes.js';
import {
  ClusterMembers,
  contentOf,
  taken,
  walletName,
  type JoinedCluster,
} from '../support/processes/cluster-members.js';
import { startCutProxy, type CutProxy } from '../support/network/cut-proxy.js';
import { startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import { until } from '../support/fakes/until.js';

let database: PostgresCluster;
let proxy: CutProxy;
const members = new ClusterMembers(() => database.url());
const { secret } = members;

/** Joins through the proxy. */
const joinBehindProxy = (settings: Partial<ClusterSettings> = {}): Promise<JoinedCluster> =>
  members.join({ urls: database.url({ ports: [proxy.port] }), timeoutMs: 5000, ...settings });

const keys = utf8('{"data":"keys file"}');

beforeAll(async () => {
  database = await startPostgres();
  proxy = await startCutProxy(database.primary().port, database.tls);
  await initCluster(database.url(), secret);
});

afterEach(async () => {
  proxy.restore();
  await members.close();
});

afterAll(async () => {
  await proxy?.close();
  await database?.stop();
});

describe('a lease', () => {
  test('is created once, and gives the keys file to each taker', async () => {
    const [a, b] = [await members.join(), await members.join()];
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    expect(lease.epoch).toBe(1n);
    expect(lease.isValid()).toBe(true);
    await expect(b.leases.create(wallet, keys)).rejects.toThrow(WalletKnown);
    expect(await b.leases.take(wallet)).toMatchObject({ state: 'held', holder: a.url, epoch: 1n });
    await a.leases.setKeysFile(lease, utf8('changed'));
    await a.leases.release(lease);
    expect(lease.isValid()).toBe(false);
    expect(await taken(b, wallet)).toMatchObject({
      keysFile: utf8('changed'),
      sequence: 0,
      lease: { epoch: 2n },
    });
    expect(await b.leases.take(walletName())).toBeUndefined();
  });

  test('goes on while it is renewed, and lapses soon after its process ends', async () => {
    const leaseMs = 4000;
    const [a, b] = [await members.join({ leaseMs }), await members.join({ leaseMs })];
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    const began = performance.now();
    await until('twice the time of a lease', () => performance.now() - began > 2 * leaseMs);
    expect(lease.isValid(300)).toBe(true);
    expect(await b.leases.take(wallet)).toMatchObject({ state: 'held' });
    await a.close();
    expect(lease.isValid()).toBe(false);
    let longestMs = 0;
    const result = await until('the lapse', async () => {
      const answer = await b.leases.take(wallet);
      if (answer?.state === 'held') longestMs = Math.max(longestMs, answer.remainingMs);
      return answer?.state === 'taken' ? answer : undefined;
    });
    expect(longestMs).toBeLessThanOrEqual(leaseMs);
    expect(result.lease.epoch).toBe(2n);
  });

  test('of an own wallet is taken again at once after a restart', async () => {
    const a = await members.join();
    const wallet = walletName();
    await a.leases.create(wallet, keys);
    await a.close();
    const again = await members.join({ member: { url: a.url, capacity: 1 } });
    expect(await again.leases.list()).toContainEqual(
      expect.objectContaining({ name: wallet, holder: a.url, isHere: false }),
    );
    expect((await taken(again, wallet)).lease.epoch).toBe(2n);
  });

  test('is handed over to a living member alone', async () => {
    const [a, b, c] = [await members.join(), await members.join(), await members.join()];
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    await expect(a.leases.handOver(lease, 'http://nobody:1')).rejects.toThrow(MemberGone);
    expect(lease.isValid()).toBe(true);
    await a.logs.append(lease, 1, utf8('one'));
    await a.leases.handOver(lease, b.url);
    await expect(a.logs.append(lease, 2, utf8('two'))).rejects.toThrow(Fenced);
    expect(await c.leases.take(wallet)).toMatchObject({ state: 'held', holder: b.url });
    expect(await b.leases.list()).toContainEqual(
      expect.objectContaining({ name: wallet, holder: b.url, isLapsed: false, isHere: false }),
    );
    expect(await taken(b, wallet)).toMatchObject({ sequence: 1, lease: { epoch: 3n } });
  });

  test('reports its loss once when another person changes the holder', async () => {
    const a = await members.join();
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    const lost: [Lease, string][] = [];
    a.leases.onLost((...news) => lost.push(news));
    await a.leases.renew();
    expect(lost).toEqual([]);
    await database
      .primary()
      .sql(`UPDATE wallet_rpc.wallet SET epoch = epoch + 1, holder = NULL WHERE holder = '${a.url}'`);
    await a.leases.renew();
    await a.leases.renew();
    expect(lost).toEqual([[lease, 'taken']]);
    expect(lease.isValid()).toBe(false);
  });

  test('ends for all wallets of a process that cannot renew, before anybody else can take them', async () => {
    const leaseMs = 4000;
    const [a, b] = [await joinBehindProxy({ leaseMs }), await members.join({ leaseMs })];
    const wallets = [walletName(), walletName()];
    const leases = await Promise.all(wallets.map((wallet) => a.leases.create(wallet, keys)));
    const lost: [Lease, string][] = [];
    a.leases.onLost((lease, reason) => {
      lost.push([lease, reason]);
    });
    proxy.silence();
    const result = await until('the lapse', async () => {
      const wasValid = leases.some((lease) => lease.isValid());
      const answer = await b.leases.take(wallets[0] ?? '');
      if (answer?.state !== 'taken') return undefined;
      return { answer, wasValid: wasValid && leases.some((lease) => lease.isValid()) };
    });
    expect(result.wasValid).toBe(false);
    expect(lost.map(([, reason]) => reason)).toEqual(['lapsed', 'lapsed']);
    proxy.restore();
    // It goes on as a member without wallets.
    await until(
      'the member again',
      async () => (await b.members.list()).find(({ url }) => url === a.url)?.isAlive === true,
    );
    expect(await a.leases.take(wallets[0] ?? '')).toMatchObject({ state: 'held', holder: b.url });
    expect((await taken(a, wallets[1] ?? '')).lease.epoch).toBe(2n);
  });

  test('leaves the cluster with its wallet', async () => {
    const a = await members.join();
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    await a.logs.append(lease, 1, utf8('one'));
    await a.logs.putBase(lease, 1, [utf8('base')]);
    await a.leases.remove(lease);
    expect(await a.leases.take(wallet)).toBeUndefined();
    expect(await a.logs.read(wallet)).toBeUndefined();
    for (const table of ['frame', 'base', 'base_part'])
      expect(
        await database
          .primary()
          .sql(
            `SELECT FROM wallet_rpc.${table} WHERE wallet = '\\x${Buffer.from(secret.idOf(wallet)).toString('hex')}'`,
          ),
      ).toEqual([]);
    expect((await a.leases.create(wallet, keys)).epoch).toBe(1n);
  });

  test('is taken by one of several processes that try at the same time', async () => {
    const takers = [await members.join(), await members.join(), await members.join()] as const;
    const wallet = walletName();
    await takers[0].leases.release(await takers[0].leases.create(wallet, keys));
    const results = await Promise.all(takers.map(({ leases }) => leases.take(wallet)));
    expect(results.map((result) => result?.state).sort()).toEqual(['held', 'held', 'taken']);
  });

  test('stands in the list of wallets', async () => {
    const [a, b] = [await members.join(), await members.join()];
    const [first, second] = [walletName(), walletName()];
    const lease = await a.leases.create(first, keys);
    await a.logs.append(lease, 1, utf8('12345'));
    await a.logs.append(lease, 2, utf8('678'));
    await b.leases.release(await b.leases.create(second, keys));
    const list = await b.leases.list();
    expect(list.find((entry) => entry.name === first)).toEqual({
      name: first,
      holder: a.url,
      epoch: 1n,
      isLapsed: false,
      isHere: false,
      sequence: 2,
      bytes: 8,
    });
    expect(list.find((entry) => entry.name === second)).toEqual({
      name: second,
      epoch: 1n,
      isLapsed: true,
      isHere: false,
      sequence: 0,
      bytes: 0,
    });
    await a.logs.putBase(lease, 1, [utf8('base')]);
    expect((await a.leases.list()).find((entry) => entry.name === first)).toMatchObject({
      sequence: 2,
      bytes: 7,
      isHere: true,
    });
    expect((await b.members.list()).find(({ url }) => url === a.url)).toEqual({
      url: a.url,
      capacity: 10,
      isAlive: true,
      remainingMs: expect.any(Number),
      wallets: 1,
      isSelf: false,
    });
    await a.members.leave();
    expect((await b.members.list()).find(({ url }) => url === a.url)).toBeUndefined();
    expect((await taken(b, first)).sequence).toBe(2);
  });
});

describe('a command that moves wallets', () => {
  const url = 'https://command-1.invalid';
  const rows = async (): Promise<unknown[]> =>
    (await database.primary().sql('SELECT url FROM wallet_rpc.member')).map((row) => row['url']);

  test('is no member, lives or not, and is forgotten an hour after it was killed', async () => {
    const a = await members.join();
    const command = await members.join({ member: { url, capacity: OF_COMMAND } });
    const listed = async (): Promise<string[]> => (await a.members.list()).map((member) => member.url);
    expect(await listed()).toContain(a.url);
    expect(await listed()).not.toContain(url);
    const lease = await command.leases.create(walletName(), keys);
    expect(await a.leases.take(lease.name)).toMatchObject({ state: 'held', holder: url });
    await members.close();
    expect(await rows()).toEqual(expect.arrayContaining([a.url, url]));
    await database
      .primary()
      .sql(
        `UPDATE wallet_rpc.member SET expires = clock_timestamp() - interval '2 hours' WHERE url IN ('${a.url}', '${url}')`,
      );
    const b = await members.join();
    // As long as it may have a wallet, its row says who has it.
    expect(await rows()).toContain(url);
    await until('the end of its lease', async () => (await b.leases.take(lease.name))?.state === 'taken');
    await members.join();
    expect(await rows()).toContain(a.url);
    expect(await rows()).not.toContain(url);
  });
});

describe('a log', () => {
  test('holds each frame once, in order', async () => {
    const a = await members.join();
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    await Promise.all([1, 2, 3].map((sequence) => a.logs.append(lease, sequence, utf8(`frame ${sequence}`))));
    await a.logs.append(lease, 2, utf8('frame 2'));
    await expect(a.logs.append(lease, 5, utf8('frame 5'))).rejects.toThrow(RangeError);
    await expect(a.logs.append(lease, 3, utf8('another'))).rejects.toThrow(RangeError);
    const { log, frames } = await contentOf(a, wallet);
    expect(frames).toEqual([
      [1, 'frame 1'],
      [2, 'frame 2'],
      [3, 'frame 3'],
    ]);
    expect(log).toMatchObject({ sequence: 3, frames: { count: 3, bytes: 21 } });
    expect(log.base).toBeUndefined();
  });

  test('is replaced by a base up to its sequence', async () => {
    const [a, b] = [await members.join(), await members.join()];
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    for (let sequence = 1; sequence <= 70; sequence++)
      await a.logs.append(lease, sequence, utf8(`${sequence}`));
    const parts = [randomBytes(1024 * 1024), randomBytes(100), randomBytes(1)].map(
      (part) => new Uint8Array(part),
    );
    const uploading = a.logs.putBase(lease, 2, parts);
    await a.logs.append(lease, 71, utf8('71'));
    await uploading;
    await expect(a.logs.putBase(lease, 1, parts)).rejects.toThrow(RangeError);
    await expect(a.logs.putBase(lease, 71, [])).rejects.toThrow(RangeError);
    await expect(a.logs.putBase(lease, 71, [new Uint8Array(1024 * 1024 + 1)])).rejects.toThrow(RangeError);
    // A frame that the base contains may come once more, after a lost answer.
    await a.logs.append(lease, 2, utf8('2'));
    await a.leases.release(lease);
    const took = await taken(b, wallet);
    expect(took).toMatchObject({ sequence: 71, base: { sequence: 2, bytes: 1024 * 1024 + 101 } });
    const { log, base, frames } = await contentOf(b, wallet);
    expect(Buffer.compare(base, Buffer.concat(parts))).toBe(0);
    expect(frames).toHaveLength(69);
    expect(frames.at(0)).toEqual([3, '3']);
    expect(frames.at(-1)).toEqual([71, '71']);
    expect(log.sequence).toBe(71);
    await b.logs.putBase(took.lease, 71, [utf8('all')]);
    const after = await contentOf(b, wallet);
    expect(after.frames).toEqual([]);
    expect(after.log).toMatchObject({
      sequence: 71,
      frames: { count: 0, bytes: 0 },
      base: { sequence: 71, bytes: 3 },
    });
    expect(
      await database
        .primary()
        .sql(
          `SELECT count(*)::int AS n FROM wallet_rpc.base_part WHERE wallet = '\\x${Buffer.from(secret.idOf(wallet)).toString('hex')}'`,
        ),
    ).toEqual([{ n: 1 }]);
    await b.logs.append(took.lease, 72, utf8('72'));
  });

  test('is replaced as a whole, with the keys file, by a base above its last frame', async () => {
    const [a, b] = [await members.join(), await members.join()];
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    await a.logs.append(lease, 1, utf8('1'));
    await a.logs.append(lease, 2, utf8('2'));
    const newKeys = utf8('new keys');
    await a.logs.putBase(lease, 4, [utf8('new store')], newKeys);
    await expect(a.logs.append(lease, 6, utf8('6'))).rejects.toThrow(RangeError);
    await a.logs.append(lease, 5, utf8('5'));
    await a.leases.release(lease);
    const took = await taken(b, wallet);
    expect(took).toMatchObject({ sequence: 5, base: { sequence: 4, bytes: 9 } });
    expect(Buffer.compare(took.keysFile, newKeys)).toBe(0);
    const { base, frames } = await contentOf(b, wallet);
    expect(Buffer.compare(base, utf8('new store'))).toBe(0);
    expect(frames).toEqual([[5, '5']]);
  });

  test('takes nothing from a holder whose lease is gone', async () => {
    // The next renewal, which would find the change, is far away.
    const leaseMs = 60_000;
    const [a, b] = [await members.join({ leaseMs }), await members.join({ leaseMs })];
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    const lost: string[] = [];
    a.leases.onLost((_, reason) => lost.push(reason));
    await a.logs.append(lease, 1, utf8('one'));
    await database.primary().sql(`UPDATE wallet_rpc.wallet SET holder = NULL WHERE holder = '${a.url}'`);
    const next = await taken(b, wallet);
    expect(lease.isValid()).toBe(true);
    await expect(a.logs.append(lease, 2, utf8('two'))).rejects.toThrow(Fenced);
    expect(lease.isValid()).toBe(false);
    expect(lost).toEqual(['taken']);
    await expect(a.logs.putBase(lease, 1, [utf8('base')])).rejects.toThrow(Fenced);
    await expect(a.leases.setKeysFile(lease, utf8('other'))).rejects.toThrow(Fenced);
    await expect(a.leases.remove(lease)).rejects.toThrow(Fenced);
    await b.logs.append(next.lease, 2, utf8('zwei'));
    expect((await contentOf(b, wallet)).frames).toEqual([
      [1, 'one'],
      [2, 'zwei'],
    ]);
  });

  test('is read as it was at one moment, while it grows', async () => {
    const a = await members.join();
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    await a.logs.append(lease, 1, utf8('one'));
    const log = await a.logs.read(wallet);
    await a.logs.append(lease, 2, utf8('two'));
    await a.logs.putBase(lease, 2, [utf8('base')]);
    const frames = [];
    for await (const { sequence } of log?.readFrames() ?? []) frames.push(sequence);
    expect(frames).toEqual([1]);
    await log?.close();
  });
});

describe('over a bad network', () => {
  test('a lost answer to a commit is resolved by asking again', async () => {
    const a = await joinBehindProxy();
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    const frame = utf8(`frame-${'x'.repeat(100)}`);
    // The first statement of a connection has a round trip before its commit.
    await a.logs.append(lease, 1, utf8('one'));
    let isLost = false;
    const lost = proxy.loseAnswerTo(Buffer.from(frame).toString('base64')).then(() => (isLost = true));
    await a.logs.append(lease, 2, frame);
    await lost;
    expect(isLost).toBe(true);
    expect((await contentOf(a, wallet)).frames.map(([sequence]) => sequence)).toEqual([1, 2]);
  });

  test('a lost answer to taking and creating a wallet is resolved by asking again', async () => {
    const a = await joinBehindProxy();
    const wallet = walletName();
    const id = Buffer.from(secret.idOf(wallet)).toString('hex');
    const created = proxy.loseAnswerTo(id);
    const lease = await a.leases.create(wallet, keys);
    await created;
    // The first request of a taking reads the row, the second one changes it.
    const claimed = proxy.loseAnswerTo(id, 1);
    const { lease: next } = await taken(a, wallet);
    await claimed;
    expect([lease.epoch, next.epoch]).toEqual([1n, 2n]);
    await a.leases.renew();
    expect([lease.isValid(), next.isValid()]).toEqual([false, true]);
    // The same for a release.
    const released = proxy.loseAnswerTo(id);
    await a.leases.release(next);
    await released;
    expect((await a.leases.list()).find((entry) => entry.name === wallet)).toMatchObject({
      epoch: 2n,
      isLapsed: true,
    });
  });

  test('calls go on after a delay of 200 ms, and after a cut', async () => {
    const a = await joinBehindProxy();
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    proxy.delay(200);
    await a.logs.append(lease, 1, utf8('one'));
    proxy.delay(0);
    proxy.cut();
    const append = a.logs.append(lease, 2, utf8('two'));
    await until('a refused connection', () => proxy.refused() > 0);
    proxy.restore();
    await append;
    expect(lease.isValid()).toBe(true);
  });

  test('a silent database is not waited for longer than the time limit', async () => {
    const timeoutMs = 4000;
    const a = await joinBehindProxy({ timeoutMs, leaseMs: 60_000 });
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    await a.logs.append(lease, 1, utf8('one'));
    proxy.silence();
    const began = performance.now();
    await expect(a.logs.append(lease, 2, utf8('two'))).rejects.toThrow(NotReplicated);
    await expect(a.logs.append(lease, 2, utf8('two'))).rejects.toThrow(ClusterUnreachable);
    await expect(a.leases.list()).rejects.toThrow(ClusterUnreachable);
    expect(performance.now() - began).toBeLessThan(5 * timeoutMs);
    proxy.restore();
    await a.logs.append(lease, 2, utf8('two'));
    expect((await contentOf(a, wallet)).frames.map(([sequence]) => sequence)).toEqual([1, 2]);
  });
});

describe('a full disk of the database', () => {
  /** Refuses new rows of a table, as PostgreSQL does when it cannot make the table longer: SQLSTATE 53100. */
  async function withFullDisk(tables: readonly string[], task: () => Promise<void>): Promise<void> {
    const { sql } = database.primary();
    await sql(`CREATE OR REPLACE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`);
    for (const table of tables)
      await sql(`CREATE TRIGGER full_disk BEFORE INSERT ON wallet_rpc.${table} EXECUTE FUNCTION full_disk()`);
    try {
      await task();
    } finally {
      for (const table of tables) await sql(`DROP TRIGGER full_disk ON wallet_rpc.${table}`);
    }
  }

  test('makes writes fail in time with an unknown outcome, and leases, reads and renewals go on', async () => {
    const timeoutMs = 4000;
    const a = await members.join({ timeoutMs, leaseMs: timeoutMs });
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    await a.logs.append(lease, 1, utf8('one'));
    await withFullDisk(['wallet', 'frame'], async () => {
      const began = performance.now();
      await expect(a.logs.append(lease, 2, utf8('two'))).rejects.toThrow(NotReplicated);
      await expect(a.logs.append(lease, 2, utf8('two'))).rejects.toThrow(/No space left on device/);
      expect(performance.now() - began).toBeLessThan(3 * timeoutMs);
      await expect(a.leases.create(walletName(), keys)).rejects.toThrow(NotReplicated);
      expect(performance.now() - began).toBeGreaterThan(2.5 * timeoutMs);
      expect(lease.isValid()).toBe(true);
      expect((await contentOf(a, wallet)).frames).toEqual([[1, 'one']]);
      await a.leases.setKeysFile(lease, utf8('changed'));
    });
    await a.logs.append(lease, 2, utf8('two'));
    expect((await contentOf(a, wallet)).frames.map(([sequence]) => sequence)).toEqual([1, 2]);
  });

  test.each([
    ['the connection of a later attempt', true],
    ['the answer to a later attempt', false],
  ])(
    'is the reason of a failed write although %s was cut by the end of the time',
    async (_, isConnection) => {
      const a = await joinBehindProxy({ timeoutMs: 4000, leaseMs: 60_000 });
      const lease = await a.leases.create(walletName(), keys);
      await withFullDisk(['frame'], async () => {
        if (isConnection) proxy.silenceAfter('No space left on device');
        // The next value of a sequence outlasts the statement that failed.
        else
          await database.primary().sql(`
          CREATE SEQUENCE IF NOT EXISTS attempts;
          SELECT setval('attempts', 1, false);
          CREATE OR REPLACE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('attempts') > 1 THEN PERFORM pg_sleep(600); END IF;
            RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`);
        await expect(a.logs.append(lease, 1, utf8('one'))).rejects.toThrow(
          'not replicated: could not extend file: No space left on device',
        );
      });
    },
  );

  test('that is freed in time makes a write late, and nothing else', async () => {
    const a = await members.join({ timeoutMs: 20_000 });
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    let isStored = false;
    let append: Promise<void> | undefined;
    await withFullDisk(['frame'], async () => {
      append = a.logs.append(lease, 1, utf8('one')).then(() => void (isStored = true));
      await until('a refused write', () => /No space left on device/.test(database.primary().output()));
      expect(isStored).toBe(false);
    });
    await append;
    expect((await contentOf(a, wallet)).frames).toEqual([[1, 'one']]);
  });
});

describe('a slow database', () => {
  const timeoutMs = 1000;

  /** Runs a statement before changes of a table, with the given timing: `INSERT`, or `DELETE` of each row. */
  async function withTrigger(
    triggers: readonly [table: string, change: 'INSERT' | 'DELETE', statement: string][],
    task: () => Promise<void>,
  ): Promise<void> {
    const { sql } = database.primary();
    for (const [table, change, statement] of triggers)
      await sql(`
        CREATE OR REPLACE FUNCTION slow_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN ${statement}; RETURN coalesce(NEW, OLD); END $$;
        CREATE TRIGGER slow BEFORE ${change} ON wallet_rpc.${table} FOR EACH ROW EXECUTE FUNCTION slow_${table}()`);
    try {
      await task();
    } finally {
      for (const [table] of triggers) await sql(`DROP TRIGGER slow ON wallet_rpc.${table}`);
    }
  }

  /** Counts the rows of a wallet. */
  const rows = async (table: string, wallet: string): Promise<number> => {
    const id = Buffer.from(secret.idOf(wallet)).toString('hex');
    const [row] = await database
      .primary()
      .sql(`SELECT count(*)::int AS n FROM wallet_rpc.${table} WHERE wallet = '\\x${id}'`);
    return Number(row?.['n']);
  };

  test('takes a base although its parts, the switch and the deletions last longer than an answer may', async () => {
    const a = await members.join({ timeoutMs, leaseMs: 60_000 });
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    for (let sequence = 1; sequence <= 12; sequence++)
      await a.logs.append(lease, sequence, utf8(`${sequence}`));
    await withTrigger(
      [
        ['base_part', 'INSERT', 'PERFORM pg_sleep(1.5)'],
        ['base', 'INSERT', 'PERFORM pg_sleep(1.5)'],
        ['frame', 'DELETE', 'PERFORM pg_sleep(0.4)'],
      ],
      async () => {
        await a.logs.putBase(lease, 11, [utf8('one '), utf8('two')]);
        const { log, base, frames } = await contentOf(a, wallet);
        expect(Buffer.from(base).toString()).toBe('one two');
        expect(frames).toEqual([[12, '12']]);
        expect(log.frames).toEqual({ count: 1, bytes: 2 });
        // Frames are stored meanwhile.
        await a.logs.append(lease, 13, utf8('13'));
        await until('the frames of the base are deleted', async () => (await rows('frame', wallet)) === 2);
      },
    );
    expect((await contentOf(a, wallet)).frames.map(([sequence]) => sequence)).toEqual([12, 13]);
  });

  test('does not grow by tries to replace a base that fail', async () => {
    const a = await members.join({ timeoutMs, leaseMs: 60_000 });
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    await a.logs.append(lease, 1, utf8('1'));
    await a.logs.putBase(lease, 1, [utf8('base')]);
    await withTrigger([['base', 'INSERT', `RAISE EXCEPTION 'no base today'`]], async () => {
      for (let tries = 0; tries < 4; tries++)
        await expect(a.logs.putBase(lease, 1, [utf8('a'), utf8('b'), utf8('c')])).rejects.toThrow(
          'no base today',
        );
      expect(await rows('base_part', wallet)).toBe(1 + 3);
    });
    await a.logs.append(lease, 2, utf8('2'));
    await until('the leftovers are deleted', async () => (await rows('base_part', wallet)) === 1);
    expect(Buffer.from((await contentOf(a, wallet)).base).toString()).toBe('base');
  });

  test('is freed by the next holder of what an upload left whose process ended', async () => {
    const [a, b] = [await members.join(), await members.join()];
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    await a.logs.append(lease, 1, utf8('1'));
    await a.logs.append(lease, 2, utf8('2'));
    await withTrigger([['frame', 'DELETE', `RAISE EXCEPTION 'not yet'`]], () =>
      a.logs.putBase(lease, 1, [utf8('base')]),
    );
    const unfinished = a.logs.putBase(
      lease,
      2,
      (async function* () {
        yield utf8('part');
        await new Promise<never>(() => undefined);
      })(),
    );
    unfinished.catch(() => undefined);
    await until('the first part', async () => (await rows('base_part', wallet)) === 2);
    await a.leases.release(lease);
    const { lease: next } = await taken(b, wallet);
    await b.logs.append(next, 3, utf8('3'));
    await until('one base with its frames', async () => {
      const counts = [await rows('base_part', wallet), await rows('frame', wallet)];
      return counts.join() === '1,2';
    });
    expect((await contentOf(b, wallet)).frames.map(([sequence]) => sequence)).toEqual([2, 3]);
  });

  test('shows a log that ends with its base while the frames before it are still there', async () => {
    const [a, b] = [await members.join({ timeoutMs }), await members.join()];
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    for (const sequence of [1, 2]) await a.logs.append(lease, sequence, utf8(`${sequence}`));
    await withTrigger([['frame', 'DELETE', `RAISE EXCEPTION 'not yet'`]], async () => {
      await a.logs.putBase(lease, 4, [utf8('new store')]);
      expect(await rows('frame', wallet)).toBeGreaterThan(0);
      expect((await contentOf(a, wallet)).log).toMatchObject({ sequence: 4, frames: { count: 0, bytes: 0 } });
      expect((await a.leases.list()).find(({ name }) => name === wallet)).toMatchObject({
        sequence: 4,
        bytes: 9,
      });
      await a.leases.release(lease);
      const took = await taken(b, wallet);
      expect(took).toMatchObject({ sequence: 4, base: { sequence: 4, bytes: 9 } });
      await b.logs.append(took.lease, 5, utf8('5'));
      expect((await contentOf(b, wallet)).frames).toEqual([[5, '5']]);
    });
  });
});

test('the database holds ciphertext only', async () => {
  const a = await members.join();
  const wallet = 'treasury-of-the-exchange';
  const lease = await a.leases.create(wallet, utf8('spend-key-in-the-clear'));
  await a.leases.setKeysFile(lease, utf8('another-key-in-the-clear'));
  await a.logs.append(lease, 1, new Uint8Array(randomBytes(100)));
  await a.logs.putBase(lease, 1, [new Uint8Array(randomBytes(100))]);
  const rows: string[] = [];
  for (const table of ['meta', 'member', 'wallet', 'frame', 'base', 'base_part'])
    rows.push(
      ...(await database.primary().sql(`SELECT t::text FROM wallet_rpc.${table} t`)).map(({ t }) =>
        String(t),
      ),
    );
  const dump = rows.join('\n');
  expect(dump).toContain(Buffer.from(secret.idOf(wallet)).toString('hex'));
  for (const text of [wallet, 'in-the-clear', 'treasury'])
    for (const form of [
      text,
      Buffer.from(text).toString('hex'),
      Buffer.from(text).toString('base64').replace(/=+$/, ''),
    ])
      expect(dump).not.toContain(form);
});
