import { Counter, Gauge, type Registry } from 'prom-client';
import type { DaemonFailover, DaemonStatus } from '../../services/failover/daemon-failover.js';

type Failover = Pick<DaemonFailover, 'statuses' | 'switches'>;

/** Adds the metrics of the listed daemons. Metrics of probes are absent for a single daemon, which is not probed. */
export function addFailoverMetrics(registry: Registry, failover: Failover): void {
  const registers = [registry];
  addDaemonGauge(registry, failover, {
    name: 'wallet_rpc_daemon_serving',
    help: '1 for the daemon that serves the wallets, 0 for other listed ones.',
    value: ({ serves }) => Number(serves),
  });
  const isProbed = (): boolean => failover.statuses.length > 1;
  addDaemonGauge(registry, failover, {
    name: 'wallet_rpc_listed_daemon_usable',
    help: '1 if a listed daemon could serve by its last probe, otherwise 0.',
    value: ({ problem }) => (isProbed() ? Number(problem === undefined) : undefined),
  });
  addDaemonGauge(registry, failover, {
    name: 'wallet_rpc_listed_daemon_height_blocks',
    help: 'Number of blocks of a listed daemon by its last probe; absent unless it could serve.',
    value: ({ height }) => (isProbed() ? height : undefined),
  });
  new Counter({
    name: 'wallet_rpc_daemon_switches_total',
    help: 'Changes of the daemon that serves, by reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const reason of ['failed', 'behind', 'return'] as const)
        this.inc({ reason }, failover.switches.get(reason) ?? 0);
    },
  });
}

interface DaemonGauge {
  readonly name: string;
  readonly help: string;
  readonly value: (status: DaemonStatus) => number | undefined;
}

function addDaemonGauge(registry: Registry, failover: Failover, { name, help, value }: DaemonGauge): void {
  new Gauge({
    ...{ name, help, labelNames: ['daemon'], registers: [registry] },
    collect() {
      this.reset();
      for (const status of failover.statuses) {
        const now = value(status);
        if (now !== undefined) this.set({ daemon: status.name }, now);
      }
    },
  });
}
