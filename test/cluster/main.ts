import { parseArgs } from 'node:util';
import { median, percentile, printTable } from '../../bench/table.js';
import { seededRandom } from '../support/fakes/seeded-random.js';
import {
  newDatabase,
  startPostgres,
  type PostgresCluster,
  type PostgresOptions,
} from '../support/processes/postgres-cluster.js';
import { SmallDisk } from '../support/processes/small-disk.js';
import { startWalletCluster, type ClusterDatabase } from '../support/processes/wallet-cluster.js';
import { runCampaign } from './campaign.js';
import { prepareLoad } from './cluster-load.js';
import { runCrowd } from './crowd.js';
import { OUTAGES, runOutage, type OutageReport } from './outages.js';

/*
 * Three PostgreSQL, three wallet servers and a regtest daemon under random load, in parts: kills of the holder,
 * pauses of it, outages of the database and of the network, and many wallets that are spread, drained and spread again.
 * usage: npm run test:cluster -- [--kills 300] [--stops 50] [--crowd 100] [--only kills,outages,crowd]
 *   [--wallets 3] [--lease MS] [--seed TEXT] [--database URL] [--outage TITLE]
 * SIGINT ends the kills after the present round; everything is compared, and the table printed.
 */

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '300' },
    stops: { type: 'string', default: '50' },
    /** Number of wallets under load, for kills, stops and outages. */
    wallets: { type: 'string', default: '3' },
    /** Time of a lease for kills and stops [ms]; absent: the default. A shorter one makes more kills of an hour. */
    lease: { type: 'string' },
    /** Number of wallets of the crowd. */
    crowd: { type: 'string', default: '100' },
    only: { type: 'string', default: 'kills,outages,crowd' },
    /** Part of the titles of the outages to bring about; absent: all. */
    outage: { type: 'string', default: '' },
    /** Address of a database that runs, for kills and stops; absent: three PostgreSQL of the campaign. */
    database: { type: 'string' },
    /** Fixes the calls and the times of the kills; the state at a kill still depends on the machine's speed. */
    seed: { type: 'string', default: String(process.pid) },
  },
});

/** Parses a number of the command line; a wrong one ends the program. */
function count(name: 'kills' | 'stops' | 'wallets' | 'crowd' | 'lease'): number {
  const number = Number(values[name]);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  process.stderr.write(`--${name} takes a number\n`);
  process.exit(2);
}

let isInterrupted = false;
process.once('SIGINT', () => (isInterrupted = true));

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
/** Errors in the log of a process, with their stacks. */
const ERRORS = /^\S+ \S+ E .*(?:\n {2,}.*){0,8}/gm;
const parts = values.only.split(',');
const faults: string[] = [];
const chosen = OUTAGES.filter(({ title }) => title.includes(values.outage));
const { seed } = values;

/** Runs a task with a database of its own. */
async function withPostgres(
  options: PostgresOptions,
  task: (postgres: PostgresCluster) => Promise<void>,
): Promise<void> {
  const postgres = await startPostgres(options);
  try {
    await task(postgres);
  } finally {
    await postgres.stop();
  }
}

async function kills(postgres: ClusterDatabase): Promise<void> {
  const report = await runCampaign({
    ...{ postgres, kills: count('kills'), stops: count('stops'), wallets: count('wallets'), seed, log: say },
    isOver: () => isInterrupted,
    ...(values.lease === undefined ? {} : { leaseMs: count('lease') }),
  });
  faults.push(...report.faults);
  const times = (all: readonly number[]): string =>
    all.length === 0
      ? '-'
      : `${seconds(median(all))} (95 %: ${seconds(percentile(all, 0.95))}, longest ${seconds(Math.max(...all))})`;
  say('');
  printTable(
    ['kills and stops of the holder', ''],
    [
      ['time of a lease', values.lease === undefined ? 'default' : `${values.lease} ms`],
      ['kills', String(report.kills)],
      ['stops past the lease', String(report.stops)],
      ['takeovers of wallets', String(report.takeovers)],
      ['from a kill to the first answer of the next holder', times(report.afterKill)],
      ['from the continuation of a stopped holder to its answers', times(report.afterContinue)],
      ['calls answered', String(report.answered)],
      ['facts compared after each takeover', String(report.facts)],
      ['orders paid, of orders placed', `${report.paid} of ${report.orders}`],
      ['events read by cursor', String(report.events)],
    ],
  );
}

/** Finds out why the outages of disks cannot be brought about; undefined if they can, or are not asked for. */
function missingDisks(): Error | undefined {
  if (!chosen.some(({ needsDisks }) => needsDisks)) return undefined;
  try {
    SmallDisk.assertAllowed();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

async function outages(): Promise<void> {
  const missing = missingDisks();
  const possible = chosen.filter(({ needsDisks = false }) => !needsDisks || missing === undefined);
  for (const { title } of chosen.filter((outage) => !possible.includes(outage)))
    faults.push(`${title}: not brought about, since ${missing?.message}`);
  if (possible.length === 0) return;
  const hasDisks = possible.some(({ needsDisks = false }) => needsDisks);
  await withPostgres({ hasDisks }, (postgres) => runOutages(postgres, possible));
}

async function runOutages(postgres: PostgresCluster, possible: typeof OUTAGES): Promise<void> {
  const wallets = Array.from({ length: count('wallets') }, (_, i) => `w${i + 1}`);
  const cluster = await startWalletCluster({
    ...{ postgres, wallets, isProxied: true },
    database: await newDatabase(postgres, 'outages'),
  });
  const reports: OutageReport[] = [];
  try {
    const load = await prepareLoad(cluster, wallets, seededRandom(seed));
    const options = { postgres, cluster, load, timeoutMs: 5000, marginMs: 3000, calmMs: 3000 };
    for (const outage of possible) {
      const report = await runOutage(outage, options);
      reports.push(report);
      say(`${outage.title}: ${seconds(report.ms)}, ${report.faults.length} faults`);
      for (const fault of report.faults) say(`  ${fault}`);
      if (report.faults.length > 0)
        for (const { output } of cluster.members) for (const [error] of output().matchAll(ERRORS)) say(error);
    }
    await load.settle();
    await load.check(true);
    await load.compareWithTwins();
    faults.push(...load.faults);
    await load.stop();
  } finally {
    await cluster.stop();
  }
  say('');
  printTable(
    ['outage under load', 'lasted', 'answered', 'slowest', '-66', 'slowest', '-67', 'broken', 'faults'],
    reports.map((report) => [
      ...[report.title, seconds(report.ms), String(report.answered), seconds(report.longestMs)],
      ...[String(report.notReplicated), seconds(report.longestUnknownMs), String(report.elsewhere)],
      ...[String(report.broken), String(report.faults.length)],
    ]),
  );
}

async function crowd(postgres: PostgresCluster): Promise<void> {
  const database = await newDatabase(postgres, 'crowd');
  const report = await runCrowd({ postgres, database, wallets: count('crowd'), log: say });
  faults.push(...report.faults);
  say('');
  printTable(
    ['many wallets: one process drained, one added', ''],
    [
      ['wallets', String(report.wallets)],
      ['calls, failed ones', `${report.calls}, ${report.faults.length}`],
      ['slowest call', seconds(report.longestMs)],
      ['stop of a process that gives its wallets away', seconds(report.drainMs)],
      ['start of a process until it has its share', seconds(report.spreadMs)],
      ['wallets of each process at the end', report.shares.join(', ')],
    ],
  );
}

say(`seed ${seed}`);
if (values.database === undefined) {
  if (parts.includes('kills')) await withPostgres({}, kills);
  if (parts.includes('crowd')) await withPostgres({}, crowd);
  if (parts.includes('outages')) await outages();
} else {
  const url = values.database;
  await kills({ servers: [], url: () => url });
}
for (const fault of faults) say(`FAULT ${fault}`);
say(faults.length === 0 ? '0 lost, 0 paid twice' : `${faults.length} faults; seed ${seed}`);
process.exit(faults.length === 0 ? 0 : 1);
