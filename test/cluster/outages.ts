import { ClusterSecret } from '../../src/cluster/cluster-secret.js';
import { killMoment } from '../support/kill-moment.js';
import type { PostgresCluster } from '../support/postgres-cluster.js';
import type { ClusterMember, WalletCluster } from '../support/wallet-cluster.js';
import { type CallStatistics, NOT_REPLICATED, WALLET_ELSEWHERE } from './call-statistics.js';
import type { ClusterLoad } from './cluster-load.js';

export interface OutageOptions {
  readonly postgres: PostgresCluster;
  readonly cluster: WalletCluster;
  readonly load: ClusterLoad;
  /** Longest wait for the quorum [ms]. */
  readonly timeoutMs: number;
  /** Time of load before and after each outage, and length of those that end by themselves [ms]. */
  readonly calmMs: number;
}

/** Describes an outage. Everything acknowledged must survive each one. */
interface Outage {
  readonly title: string;
  /** True: no call fails, from the beginning to the end. */
  readonly isUnnoticed: boolean;
  /** True: the suite brings it about, too. The suite has tests of the others without processes. */
  readonly isShort: boolean;
  /** Runs the outage, to its end. */
  readonly run: (options: OutageOptions) => Promise<void>;
}

/** Result of an outage under load. */
export interface OutageReport {
  readonly title: string;
  readonly ms: number;
  readonly answered: number;
  /** Number of calls with -66, with -67, and without an answer. */
  readonly notReplicated: number;
  readonly elsewhere: number;
  readonly broken: number;
  /** Longest time of a call with a result, and of one with -66 [ms]. */
  readonly longestMs: number;
  readonly longestUnknownMs: number;
  readonly faults: readonly string[];
}

/** Margin of the scheduler over the timeout of a call, on a machine that does everything at once [ms]. */
const MARGIN_MS = 3000;

/** Finds the holder of the first wallet. */
const holderOf = ({ load }: OutageOptions): Promise<ClusterMember> =>
  load.holder(load.loads[0]?.wallet ?? '');

/** Applies a change to the network between a process and the database until a task has ended. */
async function withNetwork(
  { databases }: ClusterMember,
  change: (proxy: ClusterMember['databases'][number]) => void,
  task: () => Promise<void>,
): Promise<void> {
  for (const proxy of databases) change(proxy);
  try {
    await task();
  } finally {
    for (const proxy of databases) proxy.restore();
  }
}

/** Outages, in the order of the table in docs/cluster.md. */
export const OUTAGES: readonly Outage[] = [
  {
    title: 'one standby is killed, and comes back',
    isShort: false,
    isUnnoticed: true,
    async run({ postgres, calmMs }) {
      const [standby] = postgres.standbys();
      await standby?.stop('SIGKILL');
      await killMoment(calmMs);
      await standby?.start();
      await postgres.followed(2);
    },
  },
  {
    title: 'both standbys are killed, and come back',
    isShort: true,
    isUnnoticed: false,
    async run({ postgres, load, timeoutMs }) {
      const standbys = postgres.standbys();
      await Promise.all(standbys.map((standby) => standby.stop('SIGKILL')));
      const begun = load.loads.map(({ statistics }) => statistics.refused(NOT_REPLICATED));
      await killMoment(timeoutMs + MARGIN_MS);
      for (const [i, { statistics, wallet }] of load.loads.entries())
        if (statistics.refused(NOT_REPLICATED) === begun[i])
          load.faults.push(`${wallet}: no call is answered with ${NOT_REPLICATED} without a quorum`);
      await Promise.all(standbys.map((standby) => standby.start()));
      await postgres.followed(2);
    },
  },
  {
    title: 'the primary is killed, and a standby promoted',
    isShort: true,
    isUnnoticed: false,
    async run({ postgres }) {
      const former = await postgres.failOver();
      await postgres.followed(1);
      await postgres.rebuild(former);
      await postgres.followed(2);
    },
  },
  {
    title: 'the whole database is killed, and started again',
    isShort: false,
    isUnnoticed: false,
    async run({ postgres }) {
      const { servers } = postgres;
      await Promise.all(servers.map((server) => server.stop('SIGKILL')));
      await Promise.all(servers.map((server) => server.start()));
      await postgres.followed(2);
    },
  },
  {
    title: 'the network between a holder and the database is cut',
    isShort: true,
    isUnnoticed: false,
    async run(options) {
      const holder = await holderOf(options);
      await withNetwork(
        holder,
        (proxy) => proxy.cut(),
        async () => void (await options.cluster.held(options.load.loads[0]?.wallet ?? '', holder)),
      );
    },
  },
  {
    title: 'the database says nothing to a holder',
    isShort: false,
    isUnnoticed: false,
    async run(options) {
      const holder = await holderOf(options);
      await withNetwork(
        holder,
        (proxy) => proxy.silence(),
        async () => void (await options.cluster.held(options.load.loads[0]?.wallet ?? '', holder)),
      );
    },
  },
  {
    title: 'the network between a holder and the database takes 200 ms more in each direction',
    isShort: false,
    isUnnoticed: true,
    async run(options) {
      const holder = await holderOf(options);
      await withNetwork(
        holder,
        (proxy) => proxy.delay(200),
        () => killMoment(4 * options.calmMs),
      );
    },
  },
  {
    title: 'answers of the database are lost after its COMMIT',
    isShort: true,
    isUnnoticed: true,
    async run(options) {
      const wallet = options.load.loads[0]?.wallet ?? '';
      const { databases } = await holderOf(options);
      // Every statement about a wallet contains its id.
      const id = Buffer.from(ClusterSecret.read(options.cluster.secretFile).idOf(wallet)).toString('hex');
      for (let later = 0; later < 6; later++) {
        await Promise.race(databases.map((proxy) => proxy.loseAnswerTo(id, later % 3)));
        await killMoment(options.calmMs / 6);
      }
    },
  },
  {
    title: 'the network between the processes is cut',
    isShort: true,
    isUnnoticed: false,
    async run(options) {
      const holder = await holderOf(options);
      holder.front?.cut();
      await killMoment(2 * options.calmMs);
      holder.front?.restore();
    },
  },
];

/** Runs one outage under load, and compares everything acknowledged after it. */
export async function runOutage(outage: Outage, options: OutageOptions): Promise<OutageReport> {
  const { load, calmMs, timeoutMs } = options;
  const before = load.faults.length;
  load.begin();
  await killMoment(calmMs);
  const started = performance.now();
  await outage.run(options);
  // Calls that began before the end may fail until then.
  for (const { patient } of load.loads) await patient.call('get_address');
  const ms = performance.now() - started;
  await load.end();
  const during = load.loads.map(({ statistics }) => statistics);
  // Once it has ended, nothing fails any more.
  load.begin();
  await killMoment(calmMs);
  await load.end();
  for (const { statistics, wallet } of load.loads) {
    if (statistics.failed > 0)
      load.faults.push(`${wallet}: ${statistics.failed} calls failed after the outage: ${outage.title}`);
    if (statistics.answered === 0) load.faults.push(`${wallet}: no call was answered after the outage`);
  }
  const total = (of: (one: CallStatistics) => number): number =>
    during.reduce((sum, one) => sum + of(one), 0);
  const most = (of: (one: CallStatistics) => number): number => Math.max(...during.map(of));
  const failed = total((one) => one.failed);
  if (outage.isUnnoticed && failed > 0) load.faults.push(`${failed} calls failed: ${outage.title}`);
  const longestUnknownMs = most((one) => one.longestRefusalMs(NOT_REPLICATED));
  if (longestUnknownMs > timeoutMs + MARGIN_MS)
    load.faults.push(`-66 took ${Math.round(longestUnknownMs)} ms, with a timeout of ${timeoutMs} ms`);
  await load.check();
  return {
    ...{ title: outage.title, ms, longestUnknownMs },
    answered: total((one) => one.answered),
    notReplicated: total((one) => one.refused(NOT_REPLICATED)),
    elsewhere: total((one) => one.refused(WALLET_ELSEWHERE)),
    broken: total((one) => one.broken),
    longestMs: most((one) => one.longestMs),
    faults: load.faults.slice(before),
  };
}
