import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DaemonInfo } from '../../src/daemon/daemon.js';
import { DaemonHealth } from '../../src/watch/daemon-health.js';
import { Metrics } from '../../src/watch/metrics/metrics.js';
import { WalletFactReader } from '../../src/watch/wallet-facts.js';

const page = readFileSync(new URL('../../../docs/watching.md', import.meta.url), 'utf8');

/** Names of all metrics of a server. */
async function metricNames(): Promise<string[]> {
  const info = { height: 1, synchronized: true } as DaemonInfo;
  const metrics = new Metrics({
    info: { version: '1', node: 'v24', network: 'mainnet', api: '1.3' },
    health: new DaemonHealth({ daemonAddress: 'a:1', daemonInfo: () => Promise.resolve(info) }),
    failover: { statuses: [], switches: new Map() },
    wallets: () => [],
    facts: new WalletFactReader(),
    directory: '/',
  });
  return [...(await metrics.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
}

describe('the page on watching a server', () => {
  it('lists exactly the existing metrics', async () => {
    const listed = [...page.matchAll(/^\| `(wallet_rpc_\w+)`/gm)].map(([, name = '']) => name);
    expect(listed.sort()).toEqual((await metricNames()).sort());
  });

  it('has alerts that Prometheus accepts, on existing metrics only', async () => {
    const [, rules = ''] = /```yaml\n(groups:[^`]*)```/.exec(page) ?? [];
    const directory = mkdtempSync(join(tmpdir(), 'rules-'));
    const path = join(directory, 'rules.yml');
    writeFileSync(path, rules);
    const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', path], {
      encoding: 'utf8',
    });
    rmSync(directory, { recursive: true });
    if (error !== undefined)
      throw new Error('promtool is missing: sudo apt-get install prometheus', { cause: error });
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('15 rules found')]);
    const names = new Set(await metricNames());
    const used = [...rules.matchAll(/wallet_rpc_\w+/g)].map(([name]) => name);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });
});
