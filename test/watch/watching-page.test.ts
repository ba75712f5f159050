import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { DaemonInfo } from '../../src/daemon/daemon.js';
import type { WorkStatus } from '../../src/services/work/work-verification.js';
import { DaemonHealth } from '../../src/watch/daemon-health.js';
import { Metrics } from '../../src/watch/metrics/metrics.js';
import { withAlerts } from '../../tools/alerts-table.js';
import { WalletFactReader } from '../../src/watch/wallet-facts.js';

const page = readFileSync(new URL('../../../docs/watching.md', import.meta.url), 'utf8');

const WORK: WorkStatus = {
  ...{ height: 1, knownHeight: 1, waiting: 0 },
  process: {
    ...{ state: 'ready', problem: undefined, isCompiled: true, memory: 1, hashMs: 1, seedMs: 1 },
    ...{ checked: 1, unmet: 0, pending: 0, ended: 0 },
  },
};

/** Names of all metrics of a server. */
async function metricNames(): Promise<string[]> {
  const info = { height: 1, synchronized: true } as DaemonInfo;
  const metrics = new Metrics({
    info: { version: '1', node: 'v24', network: 'mainnet', api: '1.3' },
    health: new DaemonHealth({ daemonAddress: 'a:1', daemonInfo: () => Promise.resolve(info) }),
    failover: { statuses: [], switches: new Map() },
    wallets: () => [],
    start: () => ({ waiting: 0, unopened: [] }),
    facts: new WalletFactReader(),
    directory: '/',
    withBalances: false,
    work: { status: WORK },
  });
  return [...(await metrics.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
}

describe('the page on watching a server', () => {
  it('lists exactly the existing metrics', async () => {
    const listed = [...page.matchAll(/^\| `(wallet_rpc_\w+)`/gm)].map(([, name = '']) => name);
    expect(listed.sort()).toEqual((await metricNames()).sort());
  });

  it('lists exactly the alerts of the package, with their conditions', () => {
    const rules = readFileSync(new URL('../../../packaging/prometheus/alerts.yml', import.meta.url), 'utf8');
    const inFile = [...rules.matchAll(/- alert: (\w+)\n +expr: (.+)\n(?: +for: (\w+)\n)?/g)];
    const listed = [...page.matchAll(/^\| `(Wallet\w+)` +\| `([^`]+)` +\| (\w*) *\|$/gm)];
    const fields = (matches: readonly RegExpMatchArray[]): string[][] =>
      matches.map(([, name = '', condition = '', time = '']) => [
        name,
        condition.replaceAll('\\|', '|'),
        time,
      ]);
    expect(fields(listed)).toEqual(fields(inFile));
    expect(inFile).toHaveLength(rules.split('alert:').length - 1);
    // `npm run docs` writes them.
    expect(withAlerts(page, rules)).toBe(page);
  });

  it('has no place for alert rules that its writer cannot read', () => {
    expect(() => withAlerts(page, '      - alert: A\n        for: 2m\n')).toThrow('another form');
    expect(() => withAlerts('# Watching', '')).toThrow('no place');
  });
});
