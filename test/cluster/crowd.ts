import { killMoment } from '../support/processes/kill-moment.js';
import type { Loose } from '../support/network/json-rpc.js';
import { until } from '../support/fakes/until.js';
import {
  PASSWORD,
  startWalletCluster,
  type ClusterDatabase,
  type WalletCluster,
} from '../support/processes/wallet-cluster.js';

export interface CrowdOptions {
  readonly postgres: ClusterDatabase;
  /** Name of its database in PostgreSQL, which exists. */
  readonly database: string;
  readonly wallets: number;
  readonly leaseMs?: number;
  readonly log: (line: string) => void;
}

export interface CrowdReport {
  readonly wallets: number;
  /** Number of calls, all of which were answered unless there are faults. */
  readonly calls: number;
  /** Longest time of a call [ms]. */
  readonly longestMs: number;
  /** Time of the stop of one process, which gives its wallets to the others first [ms]. */
  readonly drainMs: number;
  /** Time until a process that was added has its share [ms]. */
  readonly spreadMs: number;
  /** Number of wallets of each process at the end. */
  readonly shares: readonly number[];
  readonly faults: readonly string[];
}

const CALLERS = 6;
/** Least share of the wallets that a process must get which joins two others. */
const LEAST_SHARE = 0.25;

/** Spreads many wallets over three processes, stops one and adds one while calls go on: no call may fail. */
export async function runCrowd(options: CrowdOptions): Promise<CrowdReport> {
  const { postgres, database, wallets: count, leaseMs, log } = options;
  const wallets = Array.from({ length: count }, (_, i) => `wallet-${i}`);
  const cluster = await startWalletCluster({
    postgres,
    database,
    wallets,
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
  const faults: string[] = [];
  let calls = 0;
  let longestMs = 0;
  let isRunning = true;
  /** Processes that clients use: a load balancer leaves out one that is being stopped. */
  let used = [...cluster.members];
  /** Number of rounds that each caller has begun; both processes of a round are chosen at its beginning. */
  const rounds = Array<number>(CALLERS).fill(0);

  const shares = async (): Promise<number[]> => {
    const [asked] = cluster.live().filter((member) => used.includes(member));
    const { wallets: listed = [] } = (await asked?.rpc('list_wallets')) ?? {};
    return cluster.members.map(
      ({ url }) => (listed as Loose[]).filter(({ holder }) => holder === url).length,
    );
  };
  /** Changes labels of wallets in turn, through processes in turn, and reads them through the next one. */
  const callInTurn = async (caller: number): Promise<void> => {
    // No two callers change the same wallet.
    const own = wallets.filter((_, i) => i % CALLERS === caller);
    for (let i = caller; isRunning; i += 1) {
      rounds[caller] = i + 1;
      const wallet = own[i % own.length] ?? '';
      const label = `label ${i}`;
      const [writer, reader] = [used[i % used.length], used[(i + 1) % used.length]];
      const call = async (member: typeof writer, method: string, params: object): Promise<Loose> => {
        const started = performance.now();
        const reply = await member?.wallet(wallet).call(method, params);
        calls += 1;
        longestMs = Math.max(longestMs, performance.now() - started);
        if (reply?.error !== undefined)
          throw new Error(`${method}: ${reply.error.code} ${reply.error.data?.explanation ?? ''}`);
        return reply?.result;
      };
      try {
        await call(writer, 'label_address', { index: { major: 0, minor: 0 }, label });
        const { addresses } = await call(reader, 'get_address', { account_index: 0 });
        if (addresses[0].label !== label)
          faults.push(`${wallet}: the label is ${String(addresses[0].label)}, not ${label}`);
      } catch (error) {
        faults.push(`${wallet} by ${writer?.name} and ${reader?.name}: ${String(error)}`);
      }
    }
  };
  const evenly = async (least: number, of: number): Promise<void> =>
    void (await until('an even share', async () => {
      const now = await shares();
      return (now[of] ?? 0) >= least && now.reduce((sum, one) => sum + one, 0) === count ? now : undefined;
    }));
  try {
    await createAll(cluster, wallets);
    log(`${count} wallets on processes with ${(await shares()).join(', ')}`);
    const callers = Promise.all(Array.from({ length: CALLERS }, (_, caller) => callInTurn(caller)));
    await killMoment(1000);
    const [drained] = cluster.members;
    used = used.filter((member) => member !== drained);
    const before = [...rounds];
    await until('the end of the calls to one process', () =>
      rounds.every((round, i) => round > (before[i] ?? 0)),
    );
    let started = performance.now();
    await drained?.stop('SIGTERM');
    const drainMs = performance.now() - started;
    await evenly(1, 1);
    log(`one process stopped in ${(drainMs / 1000).toFixed(1)} s: ${(await shares()).join(', ')}`);
    started = performance.now();
    const added = await cluster.add();
    used = [...used, added];
    await evenly(Math.floor(count * LEAST_SHARE), cluster.members.indexOf(added));
    const spreadMs = performance.now() - started;
    log(`one process added, and has its share after ${(spreadMs / 1000).toFixed(1)} s`);
    await killMoment(500);
    isRunning = false;
    await callers;
    return { wallets: count, calls, longestMs, drainMs, spreadMs, shares: await shares(), faults };
  } finally {
    isRunning = false;
    await cluster.stop();
  }
}

/** Creates the wallets through the processes in turn. */
async function createAll({ members }: WalletCluster, wallets: readonly string[]): Promise<void> {
  await Promise.all(
    members.map(async (member, at) => {
      for (let i = at; i < wallets.length; i += members.length)
        await member
          .wallet(wallets[i] ?? '')
          .rpc('create_wallet', { password: PASSWORD, language: 'English' });
    }),
  );
}
