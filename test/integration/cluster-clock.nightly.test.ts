import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Administration } from '../../src/cluster/administration.js';
import { initCluster } from '../../src/cluster/cluster-database.js';
import { ClusterSecret } from '../../src/cluster/cluster-secret.js';
import type { ClusterSettings } from '../../src/cluster/cluster.js';
import type { Lease } from '../../src/cluster/lease.js';
import { utf8 } from '../../src/util/bytes.js';
import {
  ClusterMembers,
  contentOf,
  taken,
  walletName,
  type JoinedCluster,
} from '../support/processes/cluster-members.js';
import { databaseClock, type DatabaseClock } from '../support/processes/database-clock.js';
import { newDatabase, startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import { until } from '../support/fakes/until.js';

/* The clock of the database is set, or a promoted standby has another one. */

const NAME = 'clocks';
/** Further ahead or back, no process would start [s]. */
const STEP = 500;
const HOUR = 3600;
const leaseMs = 4000;
const keys = utf8('keys file');

let postgres: PostgresCluster;
let clock: DatabaseClock;
const urls = (): string => postgres.url({ database: NAME });
const members = new ClusterMembers(urls);

const join = (settings: Partial<ClusterSettings> = {}): Promise<JoinedCluster> =>
  members.join({ leaseMs, timeoutMs: 20_000, ...settings });

const sql = (text: string) => postgres.primary().sql(text, NAME);

const administrate = <T>(task: (administration: Administration) => Promise<T>): Promise<T> =>
  Administration.run({ urls: urls(), secret: members.secret, isSingle: false, warn: () => undefined }, task);

beforeAll(async () => {
  postgres = await startPostgres({ standbys: 1 });
  await newDatabase(postgres, NAME);
  clock = await databaseClock(postgres.primary(), NAME);
  await initCluster(urls(), members.secret);
});
afterEach(async () => {
  await members.close();
  await clock.set(0);
  await sql('DELETE FROM wallet_rpc.member');
});
afterAll(() => postgres?.stop());

/** Kills a process with a wallet that renewed its leases before a change of the clock. */
async function killed(before: number, after: number) {
  const a = await join();
  const wallet = walletName();
  await a.leases.create(wallet, keys);
  await clock.set(before);
  await a.leases.renew();
  await a.close();
  await clock.set(after);
  return { url: a.url, wallet };
}

describe.each([
  ['is set back', 0, -STEP],
  ['was an hour ahead and is put right', HOUR, 0],
  ['is set ahead', 0, STEP],
])('when the clock of the database %s, a process that was killed', (_, before, after) => {
  test('loses its wallets to another one after the time of its lease, no later and no earlier', async () => {
    const b = await join();
    const { url, wallet } = await killed(before, after);
    expect(await b.leases.take(wallet)).toMatchObject({ state: 'held', remainingMs: leaseMs });
    const entry = async () => (await b.leases.list()).find(({ name }) => name === wallet);
    await until('the wallet without a holder', async () => (await entry())?.isLapsed);
    expect((await b.members.list()).find((member) => member.url === url)?.isAlive).toBe(false);
    expect((await taken(b, wallet)).lease.epoch).toBe(2n);
  });

  test('starts again, and has its wallets', async () => {
    const { url, wallet } = await killed(before, after);
    const again = await join({ member: { url, capacity: 1 } });
    expect((await taken(again, wallet)).lease.epoch).toBe(2n);
  });
});

test('a process that was killed before the clock was set back can be forgotten, and the secret changed', async () => {
  const { url } = await killed(0, -STEP);
  expect(await administrate((administration) => administration.removeMember(url))).toBe('removed');
  await clock.set(0);
  await killed(0, -STEP);
  const next = new ClusterSecret(new Uint8Array(32));
  expect(await administrate((administration) => administration.rotate(next))).toBeGreaterThan(0);
  const back = await Administration.run(
    { urls: urls(), secret: next, isSingle: false, warn: () => undefined },
    (administration) => administration.rotate(members.secret),
  );
  expect(back).toBeGreaterThan(0);
});

describe('a process that renews its leases in time', () => {
  test('keeps its wallets when the clock of the database is set ahead and back', async () => {
    const [a, b] = [await join(), await join()];
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    const lost: [Lease, string][] = [];
    a.leases.onLost((...news) => lost.push(news));
    let sequence = 0;
    for (const seconds of [HOUR, -STEP, 0]) {
      await clock.set(seconds);
      const began = performance.now();
      const states: unknown[] = [];
      await until('more than the time of a lease', async () => {
        states.push((await b.leases.take(wallet))?.state);
        return performance.now() - began > 1.2 * leaseMs;
      });
      expect(new Set(states)).toEqual(new Set(['held']));
      expect(await b.leases.list()).toContainEqual(
        expect.objectContaining({ name: wallet, holder: a.url, isLapsed: false }),
      );
      expect((await b.members.list()).find(({ url }) => url === a.url)?.isAlive).toBe(true);
      await a.logs.append(lease, ++sequence, utf8(`frame ${sequence}`));
    }
    expect(lost).toEqual([]);
    expect(await administrate((administration) => administration.removeMember(a.url))).toBe('alive');
    await a.leases.handOver(lease, b.url);
    expect((await taken(b, wallet)).sequence).toBe(sequence);
  });

  test('keeps them although it renews at the moment of their taking', async () => {
    const [a, b] = [await join(), await join()];
    const wallet = walletName();
    await a.leases.create(wallet, keys);
    await a.close();
    // A renewal that the database commits once the taking waits for the row of the member.
    const renewing = sql(`DO $$ BEGIN
      UPDATE wallet_rpc.member SET expires = expires WHERE url = '${a.url}';
      LOOP
        PERFORM pg_sleep(0.01);
        PERFORM pg_stat_clear_snapshot();
        EXIT WHEN EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock');
      END LOOP;
    END $$`);
    let waits = false;
    void renewing.then(() => (waits = true));
    const results: unknown[] = [];
    await until('the renewal', async () => {
      results.push((await b.leases.take(wallet))?.state);
      return waits;
    });
    expect(new Set(results)).toEqual(new Set(['held']));
    await until('the lapse', async () => (await b.leases.take(wallet))?.state === 'taken');
  });
});

test('a holder that was taken for dead can append no more, and renews no more', async () => {
  // It does not renew by itself for long: its own clock finds the lease valid.
  const [a, b] = [await join({ leaseMs: 60_000 }), await join()];
  const wallet = walletName();
  const lease = await a.leases.create(wallet, keys);
  await a.logs.append(lease, 1, utf8('one'));
  await sql(`UPDATE wallet_rpc.member SET lease_ms = 1000 WHERE url = '${a.url}'`);
  const next = await until('the lapse', async () => {
    const answer = await b.leases.take(wallet);
    return answer?.state === 'taken' ? answer : undefined;
  });
  expect(lease.isValid()).toBe(true);
  await expect(a.logs.append(lease, 2, utf8('two'))).rejects.toMatchObject({ name: 'Fenced' });
  await a.leases.renew();
  expect(lease.isValid()).toBe(false);
  await b.logs.append(next.lease, 2, utf8('zwei'));
  expect((await contentOf(b, wallet)).frames.at(-1)).toEqual([2, 'zwei']);
});
