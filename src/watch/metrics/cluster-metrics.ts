import { Counter, Gauge, type Registry } from 'prom-client';
import type { DaemonFailover, DaemonStatus } from '../../services/failover/daemon-failover.js';
import type { ClusterNode } from '../../services/cluster/cluster-node.js';
import { addCounter, addGauge } from './gauges.js';

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

/** Facts about the cluster of this process, as {@link ClusterNode} has them. */
export type WatchedCluster = Pick<
  ClusterNode,
  'isReachable' | 'quorum' | 'members' | 'entries' | 'takeovers' | 'clockAheadMs'
> & {
  readonly custody: Pick<ClusterNode['custody'], 'all'>;
};

/**
 * Counts the wallets whose holder has ended, or is not a process of the cluster. A wallet that was closed on purpose
 * has no holder.
 */
export const withoutHolder = ({ entries }: Pick<ClusterNode, 'entries'>): number =>
  entries.filter(
    ({ holder, hasFalseHolder, isLapsed }) => hasFalseHolder === true || (holder !== undefined && isLapsed),
  ).length;

/** Adds the metrics of a cluster, which have no values without a cluster. */
export function addClusterMetrics(registry: Registry, cluster: WatchedCluster | undefined): void {
  const registers = [registry];
  const add = (name: string, help: string, value: (known: WatchedCluster) => number): void =>
    addGauge(registry, `wallet_rpc_cluster_${name}`, help, () => cluster && value(cluster));
  add('reachable', '1 if the database of the cluster answered the last look, otherwise 0.', (known) =>
    Number(known.isReachable),
  );
  add(
    'quorum',
    '1 if a quorum of databases has confirmed something within the time of three leases, otherwise 0: calls are refused.',
    (known) => Number(!known.quorum.isLost),
  );
  add(
    'clock_ahead_seconds',
    'Time by which the clock of this machine is ahead of that of the database of the cluster.',
    ({ clockAheadMs }) => clockAheadMs / 1000,
  );
  add(
    'members',
    'Processes of the cluster that renew their leases.',
    ({ members }) => members.filter(({ isAlive }) => isAlive).length,
  );
  add(
    'wallets_held',
    'Wallets of the cluster that this process holds.',
    ({ custody }) => custody.all().length,
  );
  add('wallets_without_holder', 'Wallets of the cluster whose holder has ended.', withoutHolder);
  addCounter(
    registry,
    'wallet_rpc_cluster_takeovers_total',
    'Wallets that this process has opened because their holder had ended, or gave them away.',
    () => cluster?.takeovers ?? 0,
  );
  const ofWallets = <T extends Counter<'wallet'> | Gauge<'wallet'>>(
    metric: T,
    value: (held: ReturnType<WatchedCluster['custody']['all']>[number]) => number | undefined,
  ): void => {
    for (const held of cluster?.custody.all() ?? []) {
      const now = value(held);
      if (now !== undefined) metric.inc({ wallet: held.lease.name }, now);
    }
  };
  new Gauge({
    name: 'wallet_rpc_cluster_pending_bytes',
    help: 'Bytes of changes of a wallet that no quorum of databases has confirmed, at most.',
    labelNames: ['wallet'],
    registers,
    collect() {
      this.reset();
      ofWallets(this, ({ replication }) => replication?.pendingBytes);
    },
  });
  new Gauge({
    name: 'wallet_rpc_cluster_pending_seconds',
    help: 'Time since when changes of a wallet wait for their confirmation by a quorum; 0 if none does.',
    labelNames: ['wallet'],
    registers,
    collect() {
      this.reset();
      const now = performance.now();
      ofWallets(
        this,
        ({ replication }) =>
          replication && (replication.behindSince === undefined ? 0 : (now - replication.behindSince) / 1000),
      );
    },
  });
  new Counter({
    name: 'wallet_rpc_cluster_frames_total',
    help: 'Changes of a wallet that a quorum has confirmed, since the wallet was opened here.',
    labelNames: ['wallet'],
    registers,
    collect() {
      this.reset();
      ofWallets(this, ({ replication }) => replication?.frames);
    },
  });
  new Counter({
    name: 'wallet_rpc_cluster_failed_copies_total',
    help: 'New copies of a wallet that did not get into the database, which keeps the former one and all changes since then.',
    labelNames: ['wallet'],
    registers,
    collect() {
      this.reset();
      ofWallets(this, ({ replication }) => replication?.failedBases);
    },
  });
  new Counter({
    name: 'wallet_rpc_cluster_bytes_total',
    help: 'Bytes of changes and of copies of a wallet that a quorum has confirmed, since the wallet was opened here.',
    labelNames: ['wallet'],
    registers,
    collect() {
      this.reset();
      ofWallets(this, ({ replication }) => replication?.shippedBytes);
    },
  });
}
