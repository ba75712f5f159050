import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { initCluster } from '../../src/cluster/cluster-database.js';
import { NotReplicated } from '../../src/cluster/errors.js';
import { utf8 } from '../../src/util/bytes.js';
import { ClusterMembers, contentOf, taken, walletName } from '../support/processes/cluster-members.js';
import { startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import { until } from '../support/fakes/until.js';

let database: PostgresCluster;
let members: ClusterMembers;
const keys = utf8('keys file');

beforeEach(async () => {
  database = await startPostgres();
  members = new ClusterMembers(() => database.url());
  await initCluster(database.url(), members.secret);
});

afterEach(async () => {
  await members.close();
  await database.stop();
});

/** Runs an SQL command in the primary until a backend waits for standbys, and returns its answer. */
const whenWaiting = (command: string): Promise<Record<string, unknown>[]> =>
  until('a commit that waits for standbys', async () => {
    const primary = database.primary();
    const waiting = await primary.sql(`SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
    return waiting.length === 0
      ? undefined
      : primary.sql(command.replace('$pid', String(waiting[0]?.['pid'])));
  });

/** Waits until a call is refused for lack of a quorum. @returns the error. */
async function refusalOf(call: Promise<unknown>): Promise<NotReplicated> {
  const error = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(NotReplicated);
  return error as NotReplicated;
}

describe('without a quorum', () => {
  test('writes are not acknowledged, leases and reads go on, and nothing is lost', async () => {
    const [b, c] = database.standbys();
    const timeoutMs = 5000;
    const leaseMs = 8000;
    const a = await members.join({ timeoutMs, leaseMs });
    const other = await members.join({ timeoutMs, leaseMs });
    const [wallet, free] = [walletName(), walletName()];
    const lease = await a.leases.create(wallet, keys);
    const freed = await a.leases.create(free, keys);
    await a.leases.release(freed);
    const abandoned = await a.leases.create(walletName(), keys);
    await a.leases.abandon(abandoned);
    const gone = await members.join({ timeoutMs, leaseMs });
    await gone.members.leave();
    await a.logs.append(lease, 1, utf8('one'));
    await b?.stop('SIGKILL');
    await a.logs.append(lease, 2, utf8('two'));
    await c?.stop('SIGKILL');
    const began = performance.now();
    const late = (await refusalOf(a.logs.append(lease, 3, utf8('three')))).message;
    expect(Number(/no answer within (\d+) ms/.exec(late)?.[1])).toBeLessThanOrEqual(timeoutMs);
    // The row is there, and a second run must wait for the quorum all the same.
    expect((await contentOf(other, wallet)).frames.at(-1)).toEqual([3, 'three']);
    await Promise.all(
      [
        a.logs.append(lease, 3, utf8('three')),
        a.logs.putBase(lease, 2, [utf8('base')]),
        a.leases.setKeysFile(lease, keys),
        other.leases.take(free),
        other.leases.create(walletName(), keys),
        // Nothing is left to change, and an earlier run may not be confirmed.
        a.leases.release(freed),
        a.leases.abandon(abandoned),
        gone.members.leave(),
      ].map(refusalOf),
    );
    // The leases were renewed meanwhile.
    expect(performance.now() - began).toBeGreaterThan(leaseMs);
    expect(lease.isValid()).toBe(true);
    expect(await other.leases.take(wallet)).toMatchObject({ state: 'held' });
    await b?.start();
    await database.followed(1);
    await a.logs.append(lease, 3, utf8('three'));
    await a.logs.append(lease, 4, utf8('four'));
    expect((await contentOf(a, wallet)).frames.map(([sequence]) => sequence)).toEqual([1, 2, 3, 4]);
    // The outcome of the taking was unknown: it is this process's own, and can be taken again.
    expect(await other.leases.list()).toContainEqual(
      expect.objectContaining({ name: free, holder: other.url, isHere: false }),
    );
    expect((await taken(other, free)).lease.epoch).toBeGreaterThan(1n);
  });

  test('writes of many wallets are answered in time, and reads do not wait for them', async () => {
    const timeoutMs = 8000;
    const a = await members.join({ timeoutMs, leaseMs: 30_000 });
    const leases = await Promise.all(Array.from({ length: 40 }, () => a.leases.create(walletName(), keys)));
    for (const server of database.standbys()) await server.stop('SIGKILL');
    const began = performance.now();
    let ended = 0;
    const appends = leases.map((lease) => a.logs.append(lease, 1, utf8('one')).finally(() => (ended += 1)));
    const outcomes = Promise.allSettled(appends);
    expect(await a.leases.list()).toHaveLength(40);
    expect(ended).toBe(0);
    const failed = (await outcomes).filter(
      (outcome) =>
        outcome.status === 'rejected' && /^(?:NotReplicated|ClusterUnreachable)$/.test(outcome.reason.name),
    );
    expect(failed).toHaveLength(40);
    // Those that waited for the first 16 did not get a time limit of their own.
    expect(performance.now() - began).toBeLessThan(2 * timeoutMs);
  });

  test('a wait that somebody cancels is no acknowledgement', async () => {
    const a = await members.join({ timeoutMs: 5000 });
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    for (const server of database.standbys()) await server.stop('SIGKILL');
    for (const end of ['pg_cancel_backend', 'pg_terminate_backend']) {
      const append = a.logs.append(lease, 1, utf8('one'));
      append.catch(() => undefined);
      await whenWaiting(`SELECT ${end}($pid)`);
      await expect(append).rejects.toThrow(NotReplicated);
    }
  });

  test('a database that stops waiting for standbys does not acknowledge', async () => {
    const a = await members.join({ timeoutMs: 5000 });
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    for (const server of database.standbys()) await server.stop('SIGKILL');
    const append = a.logs.append(lease, 1, utf8('one'));
    append.catch(() => undefined);
    await whenWaiting(`ALTER SYSTEM SET synchronous_standby_names = ''`);
    await database.primary().sql('SELECT pg_reload_conf()');
    await expect(append).rejects.toThrow(NotReplicated);
    await expect(a.logs.append(lease, 1, utf8('one'))).rejects.toThrow(/synchronous/);
    await expect(members.join()).rejects.toMatchObject({ reason: 'no_quorum' });
    const single = await members.join({ isSingle: true });
    expect((await contentOf(single, wallet)).frames).toEqual([[1, 'one']]);
  });
});

describe('after the promotion of a standby', () => {
  test('each acknowledged frame is there, and the holder goes on', async () => {
    const a = await members.join({ timeoutMs: 20_000 });
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    let acknowledged = 0;
    let isStopping = false;
    const appending = (async () => {
      while (!isStopping) {
        await a.logs.append(lease, acknowledged + 1, utf8(`frame ${acknowledged + 1}`));
        acknowledged += 1;
      }
    })();
    await until('some frames', () => acknowledged > 50);
    const former = await database.failOver();
    const atPromotion = acknowledged;
    await until('more frames', () => acknowledged > atPromotion + 50);
    // A former primary that comes back is not used, although it takes writes.
    await former.start();
    isStopping = true;
    await appending;
    expect(lease.isValid()).toBe(true);
    await a.logs.append(lease, acknowledged + 1, utf8('last'));
    await a.close();
    const b = await members.join({ leaseMs: 1000 });
    const content = await until('the lapse', async () => {
      const answer = await b.leases.take(wallet);
      return answer?.state === 'taken' ? contentOf(b, wallet) : undefined;
    });
    expect(content.frames.map(([sequence]) => sequence)).toEqual(
      Array.from({ length: acknowledged + 1 }, (_, i) => i + 1),
    );
  });

  test('a holder whose last renewals the standby lacks keeps its leases for their whole time', async () => {
    const leaseMs = 3000;
    const a = await members.join({ leaseMs });
    const b = await members.join({ leaseMs });
    const wallet = walletName();
    await a.leases.create(wallet, keys);
    // The row of the member looks as if renewals were lost, and the member is silent from now on.
    await a.close();
    await database
      .primary()
      .sql(
        `UPDATE wallet_rpc.member SET expires = clock_timestamp() - interval '1 second', timeline = '00000000' WHERE url = '${a.url}'`,
      );
    const began = performance.now();
    const first = await b.leases.take(wallet);
    expect(first).toMatchObject({ state: 'held', holder: a.url });
    const leastMs = leaseMs - (performance.now() - began);
    expect(first?.state === 'held' ? first.remainingMs : 0).toBeGreaterThan(leastMs - 100);
    await until('the lapse', async () => (await b.leases.take(wallet))?.state === 'taken');
    expect(performance.now() - began).toBeGreaterThan(leaseMs - 100);
  });

  test('all goes on when every database was restarted', async () => {
    const a = await members.join({ timeoutMs: 20_000 });
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    await a.logs.append(lease, 1, utf8('one'));
    for (const server of database.servers) await server.stop('SIGQUIT');
    const append = a.logs.append(lease, 2, utf8('two'));
    await Promise.all(database.servers.map((server) => server.start()));
    const outcome = await append.then(
      () => 'stored',
      (error: Error) => error.name,
    );
    // The lease may have lapsed meanwhile: then the wallet is taken anew.
    if (outcome === 'Fenced') expect(lease.isValid()).toBe(false);
    else expect(outcome).toBe('stored');
    const { sequence, lease: next } = await taken(a, wallet);
    await a.logs.append(next, sequence + 1, utf8('next'));
    expect((await contentOf(a, wallet)).frames.at(0)).toEqual([1, 'one']);
  });
});
