import { beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import type { DaemonInfo, ScheduledFork } from '../../../src/daemon/daemon.js';
import { RpcError } from '../../../src/http/calls/errors.js';
import { DaemonHealth } from '../../../src/watch/daemon-health.js';
import { Metrics, type MetricsParts } from '../../../src/watch/metrics/metrics.js';
import type { UnopenedWallet } from '../../../src/watch/readiness.js';
import { WalletFactReader } from '../../../src/watch/wallet-facts.js';
import { until } from '../../support/fakes/until.js';

let metrics: Metrics;
let failover: MetricsParts['failover'];
let unopened: UnopenedWallet[];

let forks: readonly ScheduledFork[];

beforeEach(() => {
  unopened = [];
  forks = [];
  failover = { statuses: [{ name: 'a:1', serves: true, problem: 'not asked' }], switches: new Map() };
  metrics = create();
});

function create(): Metrics {
  const info = { height: 1234, synchronized: true } as DaemonInfo;
  return new Metrics({
    info: { version: '1', node: 'v24', network: 'mainnet', api: '1.3' },
    health: new DaemonHealth({
      daemonAddress: 'a:1',
      daemonInfo: () => Promise.resolve(info),
      daemonForks: () => Promise.resolve(forks),
    }),
    failover: {
      get statuses() {
        return failover.statuses;
      },
      get switches() {
        return failover.switches;
      },
    },
    wallets: () => [],
    start: () => ({ waiting: 0, unopened }),
    facts: new WalletFactReader(),
    directory: '/',
    withBalances: false,
  });
}

/** Lines of the series whose name begins with a text. */
async function series(name: string): Promise<string[]> {
  return (await metrics.text()).split('\n').filter((line) => line.startsWith(name));
}

describe('the metrics', () => {
  it('have a series for each wallet of --open that could not be opened, until it is open', async () => {
    unopened = [
      { name: 'shop', cause: 'wrong_password', reason: 'invalid password' },
      { name: 'till', cause: 'wallet_missing', reason: 'there is none' },
    ];
    expect(await series('wallet_rpc_wallet_unopened')).toEqual([
      'wallet_rpc_wallet_unopened{wallet="shop",cause="wrong_password"} 1',
      'wallet_rpc_wallet_unopened{wallet="till",cause="wallet_missing"} 1',
    ]);
    unopened = [];
    expect(await series('wallet_rpc_wallet_unopened')).toEqual([]);
  });

  it('count calls by canonical method and code, and all other methods as one', async () => {
    const call = metrics.calls.measured(
      (method) => {
        if (method === 'getbalance') return Promise.resolve({});
        return Promise.reject(method === 'bug' ? new Error('bug') : new RpcError(-32601, 'Method not found'));
      },
      (method) => ({ getbalance: 'get_balance', bug: 'bug' })[method],
      () => undefined,
    );
    await call('getbalance', undefined, {});
    await call('getbalance', undefined, {});
    for (const method of ['bug', 'x', 'y', 'z']) await expect(call(method, undefined, {})).rejects.toThrow();
    expect(await series('wallet_rpc_requests_total')).toEqual([
      'wallet_rpc_requests_total{method="get_balance",code="0"} 2',
      'wallet_rpc_requests_total{method="bug",code="-32603"} 1',
      'wallet_rpc_requests_total{method="unknown",code="-32601"} 3',
    ]);
    expect(await series('wallet_rpc_request_duration_seconds_count')).toContain(
      'wallet_rpc_request_duration_seconds_count{method="unknown"} 3',
    );
  });

  it('count calls to the daemon and their failures', async () => {
    metrics.noteDaemonCall({ call: 'get_info', seconds: 0.01 });
    metrics.noteDaemonCall({ call: 'get_info', seconds: 3, failure: 'timeout' });
    expect(await series('wallet_rpc_daemon_errors_total')).toEqual([
      'wallet_rpc_daemon_errors_total{call="get_info",kind="timeout"} 1',
    ]);
    expect(await series('wallet_rpc_daemon_request_duration_seconds_sum')).toEqual([
      'wallet_rpc_daemon_request_duration_seconds_sum{call="get_info"} 3.01',
    ]);
  });

  it('name the daemon that serves; a single one is not probed', async () => {
    expect(await series('wallet_rpc_daemon_serving')).toEqual(['wallet_rpc_daemon_serving{daemon="a:1"} 1']);
    expect(await series('wallet_rpc_listed_daemon')).toEqual([]);
    expect(await series('wallet_rpc_daemon_switches_total{reason="failed"}')).toEqual([
      'wallet_rpc_daemon_switches_total{reason="failed"} 0',
    ]);
  });

  it('have the state of each listed daemon by its last probe, and the switches', async () => {
    failover = {
      statuses: [
        { name: 'a:1', serves: false, problem: 'it is syncing' },
        { name: 'b:1', serves: true, height: 9 },
      ],
      switches: new Map([['failed', 2]]),
    };
    expect(await series('wallet_rpc_daemon_serving')).toEqual([
      'wallet_rpc_daemon_serving{daemon="a:1"} 0',
      'wallet_rpc_daemon_serving{daemon="b:1"} 1',
    ]);
    expect(await series('wallet_rpc_listed_daemon')).toEqual([
      'wallet_rpc_listed_daemon_usable{daemon="a:1"} 0',
      'wallet_rpc_listed_daemon_usable{daemon="b:1"} 1',
      'wallet_rpc_listed_daemon_height_blocks{daemon="b:1"} 9',
    ]);
    expect(await series('wallet_rpc_daemon_switches_total')).toEqual([
      'wallet_rpc_daemon_switches_total{reason="failed"} 2',
      'wallet_rpc_daemon_switches_total{reason="behind"} 0',
      'wallet_rpc_daemon_switches_total{reason="return"} 0',
    ]);
    // Two scrapes count the same switches once.
    expect(await series('wallet_rpc_daemon_switches_total{reason="failed"}')).toHaveLength(1);
    expect((await series('wallet_rpc_daemon_switches_total{reason="failed"}'))[0]).toMatch(/ 2$/);
  });

  it('count deep reorganisations, each once, and keep the depth of the deepest', async () => {
    const both = async (): Promise<string[]> => [
      ...(await series('wallet_rpc_deep_reorganisations_total')),
      ...(await series('wallet_rpc_deepest_reorganisation_blocks')),
    ];
    expect(await both()).toEqual([
      'wallet_rpc_deep_reorganisations_total 0',
      'wallet_rpc_deepest_reorganisation_blocks 0',
    ]);
    metrics.noteDeepReorganisation(9, true);
    metrics.noteDeepReorganisation(18, false);
    metrics.noteDeepReorganisation(4, true);
    expect(await both()).toEqual([
      'wallet_rpc_deep_reorganisations_total 2',
      'wallet_rpc_deepest_reorganisation_blocks 18',
    ]);
  });

  it('have the forks of the daemon by version, and the blocks that are left', async () => {
    expect(await series('wallet_rpc_daemon_fork_')).toEqual([]);
    // The forks arrive after the state of the daemon.
    forks = [17, 18].map((version) => ({ version, height: 1200 + version }));
    metrics = create();
    await metrics.text();
    expect(await series('wallet_rpc_daemon_fork_')).toEqual([
      'wallet_rpc_daemon_fork_height{version="17"} 1217',
      'wallet_rpc_daemon_fork_height{version="18"} 1218',
      'wallet_rpc_daemon_fork_blocks{version="17"} -17',
      'wallet_rpc_daemon_fork_blocks{version="18"} -16',
    ]);
    expect(await series('wallet_rpc_daemon_unknown_fork_blocks')).toEqual([]);
  });

  it('have the height of the daemon, scanned blocks and HTTP answers', async () => {
    metrics.noteScanned(5);
    metrics.noteScanned(2);
    metrics.calls.noteStatus(401);
    const text = await metrics.text();
    for (const line of [
      'wallet_rpc_daemon_height_blocks 1234',
      'wallet_rpc_daemon_up 1',
      'wallet_rpc_scanned_blocks_total 7',
      'wallet_rpc_http_responses_total{code="401"} 1',
      'wallet_rpc_open_wallets 0',
      'wallet_rpc_build_info{version="1",node="v24",network="mainnet",api="1.3"} 1',
    ])
      expect(text).toContain(`${line}\n`);
    expect(text).toMatch(/^wallet_rpc_heap_used_bytes \d{7,}$/m);
    expect(text).toMatch(/^wallet_rpc_disk_free_bytes \d{6,}/m);
  });

  it('have the delay of the event loop since the scrape before', async () => {
    // A scrape just after the loop was blocked may come before the sample: the next one has it.
    const delay = await until('a long delay', async () => {
      const end = performance.now() + 150;
      while (performance.now() < end);
      const [line = ''] = await series('wallet_rpc_event_loop_delay_max_seconds ');
      const seconds = Number(line.split(' ')[1]);
      return seconds > 0.1 ? seconds : undefined;
    });
    // Seconds, not milliseconds.
    expect(delay).toBeLessThan(100);
  });

  it('follow the rules of Prometheus', async () => {
    metrics.noteDaemonCall({ call: 'get_info', seconds: 1, failure: 'timeout' });
    metrics.calls.noteStatus(200);
    const { error, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: await metrics.text(),
      encoding: 'utf8',
    });
    if (error !== undefined)
      throw new Error('promtool is missing: sudo apt-get install prometheus', { cause: error });
    expect(stdout + stderr).toBe('');
  });

  it('all have the prefix of this server', async () => {
    const names = [...(await metrics.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => name?.startsWith('wallet_rpc_') !== true)).toEqual([]);
  });
});
