import { seededRandom } from '../support/fakes/seeded-random.js';
import { killMoment } from '../support/processes/kill-moment.js';
import { startPostgres } from '../support/processes/postgres-cluster.js';
import { findPostgres } from '../support/processes/postgres-template.js';
import { startWalletCluster } from '../support/processes/wallet-cluster.js';
import { prepareLoad, type ClusterLoad } from './cluster-load.js';

/* bin/cluster-demo: one takeover under load, in plain words. */

const WALLETS = ['shop', 'hot'] as const;
/** Time of load before the kill, and after the takeover [ms]. */
const BEFORE_MS = 2500;
const AFTER_MS = 1500;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const answered = ({ loads }: ClusterLoad): number =>
  loads.reduce((sum, { statistics }) => sum + statistics.answered, 0);

/** Starts the databases and the processes, kills the holder of a wallet, and compares. @returns the faults. */
async function runDemo(): Promise<readonly string[]> {
  const started = performance.now();
  say('1. Three PostgreSQL: one takes writes, and confirms them when one of the two others has them, too');
  const postgres = await startPostgres();
  for (const { name, port } of postgres.servers) say(`   ${name} at port ${port}`);
  try {
    say('2. Three wallet servers with one secret, and the passwords of two wallets');
    const cluster = await startWalletCluster({ postgres, wallets: WALLETS });
    try {
      for (const { name, url } of cluster.members) say(`   ${name} at ${url}`);
      const load = await prepareLoad(cluster, WALLETS, seededRandom('demo'));
      try {
        const holder = await load.holder('shop');
        for (const wallet of WALLETS)
          say(`   ${(await load.holder(wallet)).name} holds the wallet '${wallet}'`);
        say(
          '3. Clients call both wallets through all three: labels, notes, payment requests, orders, events',
        );
        load.begin();
        await killMoment(BEFORE_MS);
        const before = answered(load);
        say(`   ${before} calls are answered`);
        say(`4. ${holder.name} is killed (kill -9), while clients go on`);
        await holder.stop('SIGKILL');
        const gap = await load.firstAnswer('shop');
        const next = await load.holder('shop');
        say(`   after ${seconds(gap)} ${next.name} answers for 'shop': it has taken the wallet over`);
        await killMoment(AFTER_MS);
        await load.end();
        say(`   ${answered(load) - before} more calls are answered`);
        say(`5. ${holder.name} starts again, as one that holds nothing`);
        await holder.start();
        say('6. Everything that was acknowledged is compared with the wallets and with the chain');
        await load.settle();
        await load.check(true);
        await load.compareWithTwins();
        for (const { wallet, facts, orders, events } of load.loads) {
          const paid = [...orders.values()].filter(({ txid }) => txid !== undefined).length;
          say(
            `   ${wallet}: ${facts.size} facts, ${events} events, ${paid} orders, each in the chain once; a wallet restored from its seed has the same balance`,
          );
        }
        say(`All of it took ${seconds(performance.now() - started)}.`);
        return load.faults;
      } finally {
        await load.stop();
      }
    } finally {
      await cluster.stop();
    }
  } finally {
    await postgres.stop();
  }
}

try {
  findPostgres();
} catch (error) {
  process.stderr.write(`cluster-demo: ${(error as Error).message}\n`);
  process.exit(1);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const faults = await runDemo();
for (const fault of faults) say(`FAULT ${fault}`);
say(faults.length === 0 ? '0 lost, 0 paid twice' : `${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);
