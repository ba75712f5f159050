import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterSecret } from '../../src/cluster/cluster-secret.js';
import { killMoment } from '../support/processes/kill-moment.js';
import type { WalletCalls } from '../support/network/json-rpc.js';
import type {
  PostgresCluster,
  PostgresDisks,
  PostgresServer,
} from '../support/processes/postgres-cluster.js';
import { until } from '../support/fakes/until.js';
import { PASSWORD, type ClusterMember, type WalletCluster } from '../support/processes/wallet-cluster.js';
import { type CallStatistics, NOT_REPLICATED, WALLET_ELSEWHERE } from '../crash/call-statistics.js';
import type { ClusterLoad } from './cluster-load.js';

export interface OutageOptions {
  readonly postgres: PostgresCluster;
  readonly cluster: WalletCluster;
  readonly load: ClusterLoad;
  /** Longest wait for the quorum [ms]. */
  readonly timeoutMs: number;
  /** Time over the limit within which -66 must be answered on the machine [ms]. */
  readonly marginMs: number;
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
  /** True: it takes servers with `hasDisks`. */
  readonly needsDisks?: boolean;
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

/** Returns the wallets of which no call has been answered with -66 since now. */
function unrefused({ loads }: ClusterLoad): () => string[] {
  const begun = loads.map(({ statistics }) => statistics.refused(NOT_REPLICATED));
  return () =>
    loads
      .filter(({ statistics }, i) => statistics.refused(NOT_REPLICATED) === begun[i])
      .map(({ wallet }) => wallet);
}

/** Name of the wallet that no call changes. */
const IDLE = 'idle';

/** Returns the calls of a wallet that no call changes; the first call of this function creates it. */
async function idleWallet({ members, passwordDir }: WalletCluster): Promise<WalletCalls> {
  const [member] = members;
  if (member === undefined) throw new Error('no process runs');
  const calls = member.wallet(IDLE);
  if ((await calls.call('get_address')).error === undefined) return calls;
  writeFileSync(join(passwordDir, IDLE), PASSWORD, { mode: 0o600 });
  await calls.rpc('create_wallet', { password: PASSWORD, language: 'English' });
  return calls;
}

function disksOf({ disks }: PostgresServer): PostgresDisks {
  if (disks === undefined) throw new Error('the servers of the database have no disks of their own');
  return disks;
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
    async run({ postgres, load }) {
      const standbys = postgres.standbys();
      await Promise.all(standbys.map((standby) => standby.stop('SIGKILL')));
      const rest = unrefused(load);
      await until('a refusal of each wallet', () => rest().length === 0).catch(() => {
        for (const wallet of rest())
          load.faults.push(`${wallet}: no call is answered with ${NOT_REPLICATED} without a quorum`);
      });
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
  {
    title: 'the disk of the database is full',
    isShort: false,
    isUnnoticed: false,
    needsDisks: true,
    async run({ postgres, cluster, load, timeoutMs, marginMs }) {
      const primary = postgres.primary();
      const { tables } = disksOf(primary);
      const idle = await idleWallet(cluster);
      const holders = (): Promise<string[]> =>
        Promise.all(load.loads.map(async ({ wallet }) => (await load.holder(wallet)).name));
      const before = await holders();
      // Tables without free space become longer with the next row.
      const database = new URL(cluster.databaseUrl.replace(/@[^/]*/, '@host')).pathname.slice(1);
      for (const table of ['frame', 'base_part'])
        await primary.sql(`VACUUM FULL wallet_rpc.${table}`, database);
      // The next checkpoint, which ends a server with a full disk, is five minutes away.
      await primary.sql('CHECKPOINT');
      const rest = unrefused(load);
      const end = performance.now() + timeoutMs + marginMs;
      try {
        await until(`a refusal of each wallet with ${NOT_REPLICATED}`, async () => {
          tables.fill();
          const { error } = await idle.call('get_balance');
          if (error !== undefined)
            load.faults.push(`a wallet without a pending write is not read: ${error.code} ${error.message}`);
          return rest().length === 0 && performance.now() > end;
        });
      } finally {
        tables.free();
      }
      if (!/ERROR: .*No space left on device/.test(primary.output()))
        load.faults.push('the database has refused no write for lack of space');
      if (!primary.isRunning) load.faults.push(`the database has ended: ${primary.output().slice(-1000)}`);
      const after = await holders();
      if (String(after) !== String(before))
        load.faults.push(`the holders were ${before.join(', ')}, and are ${after.join(', ')}`);
    },
  },
  {
    title: 'the disk of the log of the database is full, and the database ends',
    isShort: false,
    isUnnoticed: false,
    needsDisks: true,
    async run({ postgres, load, timeoutMs, marginMs }) {
      const primary = postgres.primary();
      const { log } = disksOf(primary);
      const failed = (): number => load.loads.reduce((sum, { statistics }) => sum + statistics.failed, 0);
      const before = failed();
      try {
        await until('the end of the database', async () => {
          log.fill();
          // Uses up the files of the log that are there already.
          await primary
            .sql(`SELECT pg_logical_emit_message(false, 'ballast', repeat('x', 8000000))`)
            .catch(() => undefined);
          return /PANIC: .*No space left on device/.test(primary.output());
        });
        await killMoment(timeoutMs + marginMs);
      } finally {
        log.free();
      }
      if (failed() === before) load.faults.push('no call has failed while the database had ended');
      await until('the database', async () => {
        if (!primary.isRunning) await primary.start();
        return primary.sql('SELECT 1');
      });
      await postgres.followed(2);
    },
  },
];

/** Runs one outage under load, and compares everything acknowledged after it. */
export async function runOutage(outage: Outage, options: OutageOptions): Promise<OutageReport> {
  const { load, calmMs, timeoutMs, marginMs } = options;
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
  const notReplicated = total((one) => one.refused(NOT_REPLICATED));
  const elsewhere = total((one) => one.refused(WALLET_ELSEWHERE));
  const broken = total((one) => one.broken);
  if (outage.isUnnoticed && failed > 0)
    load.faults.push(
      `calls failed, ${notReplicated} with -66, ${elsewhere} with -67, ${broken} without an answer: ${outage.title}`,
    );
  const longestUnknownMs = most((one) => one.longestRefusalMs(NOT_REPLICATED));
  if (longestUnknownMs > timeoutMs + marginMs)
    load.faults.push(`-66 took ${Math.round(longestUnknownMs)} ms, with a timeout of ${timeoutMs} ms`);
  await load.check();
  return {
    ...{ title: outage.title, ms, longestUnknownMs },
    answered: total((one) => one.answered),
    ...{ notReplicated, elsewhere, broken },
    longestMs: most((one) => one.longestMs),
    faults: load.faults.slice(before),
  };
}
