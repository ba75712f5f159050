import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { initCluster } from '../../src/cluster/cluster-database.js';
import { utf8 } from '../../src/util/bytes.js';
import { ClusterMembers, taken, walletName } from '../support/processes/cluster-members.js';
import { startCutProxy, type CutProxy } from '../support/network/cut-proxy.js';
import { call, type Loose } from '../support/network/json-rpc.js';
import { startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import { until } from '../support/fakes/until.js';
import {
  PASSWORD,
  startWalletCluster,
  type ClusterMember,
  type WalletCluster,
} from '../support/processes/wallet-cluster.js';

/* A process whose database has no standbys any more cannot know whether another one has its wallets. */

const NOT_REPLICATED = -66;
const ELSEWHERE = -67;
const leaseMs = 3000;
const keys = utf8('keys file');

let database: PostgresCluster;

describe('the quorum of a member', () => {
  let members: ClusterMembers;
  let proxies: CutProxy[];

  beforeEach(async () => {
    database = await startPostgres();
    members = new ClusterMembers(() => database.url());
    await initCluster(database.url(), members.secret);
    proxies = await Promise.all(database.servers.map(({ port }) => startCutProxy(port, database.tls)));
  });
  afterEach(async () => {
    await members?.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await database?.stop();
  });

  test('is lost without standbys although its leases go on, and found with one, also while nothing is written', async () => {
    const a = await members.join({ leaseMs });
    const single = await members.join({ leaseMs, isSingle: true });
    const lease = await a.leases.create(walletName(), keys);
    const changes: boolean[] = [];
    a.quorum.onChange(() => changes.push(a.quorum.isLost));
    const began = performance.now();
    await until('more than three leases', () => performance.now() - began > 3.5 * leaseMs);
    expect(changes).toEqual([]);
    for (const server of database.standbys()) await server.stop('SIGKILL');
    await until('the loss', () => a.quorum.isLost);
    expect(a.quorum.silentMs).toBeGreaterThan(3 * leaseMs);
    expect(lease.isValid()).toBe(true);
    expect([single.quorum.isLost, single.quorum.silentMs]).toEqual([false, 0]);
    await database.standbys()[0]?.start();
    await until('the quorum', () => !a.quorum.isLost);
    expect(changes).toEqual([true, false]);
    expect(lease.isValid()).toBe(true);
  });

  test('is lost by a process that is cut off with a former primary, which then finds the new one', async () => {
    const ports = proxies.map(({ port }) => port);
    const a = await members.join({ leaseMs, urls: database.url({ ports }) });
    const b = await members.join({ leaseMs });
    const wallet = walletName();
    const lease = await a.leases.create(wallet, keys);
    const standbys = database.standbys();
    database.servers.forEach((server, i) => standbys.includes(server) && proxies[i]?.cut());
    await database.depose();
    const next = await until('the next holder', async () => {
      const answer = await b.leases.take(wallet);
      return answer?.state === 'taken' ? answer : undefined;
    });
    await until('the loss', () => a.quorum.isLost);
    // The former primary commits its renewals.
    expect([lease.isValid(), next.lease.isValid(), b.quorum.isLost]).toEqual([true, true, false]);
    for (const proxy of proxies) proxy.restore();
    await until('the end of the lease', () => !lease.isValid());
    await until('the quorum', () => !a.quorum.isLost);
    expect(await a.leases.take(wallet)).toMatchObject({ state: 'held', holder: b.url });
    await b.leases.release(next.lease);
    expect((await taken(a, wallet)).lease.epoch).toBe(3n);
  });
});

describe('a process without a quorum', () => {
  let cluster: WalletCluster;
  let member: ClusterMember;

  beforeAll(async () => {
    database = await startPostgres();
    cluster = await startWalletCluster({
      ...{ postgres: database, wallets: ['shop'], members: 1, leaseMs },
      args: ['--pay-bind=0'],
    });
    [member] = cluster.members as [ClusterMember];
  });
  afterAll(async () => {
    await cluster?.stop();
    await database?.stop();
  });

  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${member.port}${path}`);
  const codeOf = async (method: string, params?: unknown): Promise<number | undefined> =>
    (await member.wallet('shop').call(method, params)).error?.code;

  /** Answers of all doors at which clients learn of wallets. */
  async function doors(payUrl: string) {
    const ready = await get('/readyz');
    const metrics = await (await get('/metrics')).text();
    const stream = await get('/wallet/shop/events');
    await stream.body?.cancel();
    return {
      calls: await Promise.all(
        ['get_balance', 'get_transfers', 'get_events', 'list_payment_requests', 'list_wallets'].map(
          (method) => codeOf(method),
        ),
      ),
      change: await codeOf('create_address', { account_index: 0 }),
      other: await codeOf('get_version'),
      ready: ready.status,
      reasons: ((await ready.json()) as Loose).reasons.map(({ reason }: Loose) => reason),
      live: (await get('/livez')).status,
      quorum: /^wallet_rpc_cluster_quorum (\d)$/m.exec(metrics)?.[1],
      stream: stream.status,
      page: (await fetch(payUrl)).status,
      pageStream: await fetch(`${payUrl}/events`).then(async ({ status, body }) => {
        await body?.cancel();
        return status;
      }),
      style: (await fetch(payUrl.replace(/[^/]+$/, 'pay.css'))).status,
    };
  }

  const OPEN = {
    ...{ calls: Array.from({ length: 5 }), change: undefined, other: undefined, ready: 200, reasons: [] },
    ...{ live: 200, quorum: '1', stream: 200, page: 200, pageStream: 200, style: 200 },
  };

  test('answers no call, shows no page, ends its streams and is not ready, until it has one again', async () => {
    const { rpc } = member.wallet('shop');
    await rpc('create_wallet', { password: PASSWORD, language: 'English' });
    const { pay_url: payUrl } = await rpc('create_payment_request', { amount: 1 });
    await until('a ready server', async () => (await get('/readyz')).ok);
    expect(await doors(payUrl)).toEqual(OPEN);
    const streams = await Promise.all([
      get('/wallet/shop/events'),
      get('/events'),
      fetch(`${payUrl}/events`),
    ]);
    const ends = Promise.all(streams.map((stream) => stream.text()));
    for (const server of database.standbys()) await server.stop('SIGKILL');
    await until('a refused call', async () => (await codeOf('get_balance')) === NOT_REPLICATED);
    expect(await doors(payUrl)).toEqual({
      ...{ calls: Array.from({ length: 5 }, () => NOT_REPLICATED), change: NOT_REPLICATED, other: undefined },
      ...{ ready: 503, reasons: ['no_quorum'], live: 200, quorum: '0', style: 200 },
      ...{ stream: 503, page: 503, pageStream: 503 },
    });
    expect((await ends).every((text) => text.startsWith('retry: '))).toBe(true);
    const { error } = await member.wallet('shop').call('get_balance');
    expect(error?.message).toMatch(/no standby of the database has confirmed anything for \d+ s/);
    expect(member.output()).toContain('no standby confirms anything: calls are refused');
    await database.standbys()[0]?.start();
    await until('an answer', async () => (await codeOf('get_balance')) === undefined);
    expect(await doors(payUrl)).toEqual(OPEN);
    expect(member.output()).toContain('a standby confirms changes again');
    expect(member.output()).not.toContain('the lease of a wallet was lost');
  });

  test('that starts without one is not ready and answers nothing, until it has one', async () => {
    await member.stop('SIGTERM');
    for (const server of database.standbys()) if (server.isRunning) await server.stop('SIGKILL');
    await member.start();
    const ready = await get('/readyz');
    expect([ready.status, await ready.json()]).toMatchObject([
      503,
      { reasons: expect.arrayContaining([expect.objectContaining({ reason: 'no_quorum' })]) },
    ]);
    expect((await get('/events')).status).toBe(503);
    expect((await call(member.port, 'list_wallets')).error?.code).toBe(NOT_REPLICATED);
    // It waits for a holder of its wallet, which this process cannot be.
    const waiting = codeOf('get_balance');
    expect(member.output()).not.toContain('a wallet of the cluster was taken over');
    await database.standbys()[0]?.start();
    expect([undefined, ELSEWHERE]).toContain(await waiting);
    await until('a ready server', async () => (await get('/readyz')).ok);
    await until('an answer', async () => (await codeOf('get_balance')) === undefined);
  });
});
