import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createWallet } from '../test/support/wallets/create-wallet.js';
import { walletCalls } from '../test/support/network/json-rpc.js';
import { until } from '../test/support/fakes/until.js';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { startWalletRpc } from '../test/support/processes/wallet-rpc.js';
import { median } from './table.js';

/*
 * A scrape of the metrics of many wallets, or another page, whose stores have changed since the last one or not, and
 * the longest answer to another request meanwhile.
 * usage: scrape [--wallets 1000] [--scrapes 10] [--path /metrics]
 */

const { values: options } = parseArgs({
  options: {
    wallets: { type: 'string', default: '1000' },
    scrapes: { type: 'string', default: '10' },
    path: { type: 'string', default: '/metrics' },
  },
});
const WALLETS = Number(options.wallets);
const SCRAPES = Number(options.scrapes);

/** An address to mine to. */
const ADDRESS =
  '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm';

const daemon = await startRegtestDaemon();
const server = await startWalletRpc({
  daemon: daemon.address,
  args: ['--rpc-max-connections=2000', '--rpc-max-connections-per-private-ip=2000'],
});
const url = (path: string): string => `http://127.0.0.1:${server.port}${path}`;

const metrics = async (): Promise<string> => (await fetch(url('/metrics'))).text();

const valueIn = (text: string, series: string): number =>
  Number(new RegExp(`^${series} (.*)$`, 'm').exec(text)?.[1]);

/** Scrapes, and asks for the liveness of the server meanwhile. @returns times [ms] and the length of the text. */
async function scrape(): Promise<{ time: number; longest: number; bytes: number; delay: number }> {
  await metrics();
  await sleep(100);
  let longest = 0;
  let isDone = false;
  const asking = (async () => {
    while (!isDone) {
      const start = performance.now();
      await (await fetch(url('/livez'))).text();
      longest = Math.max(longest, performance.now() - start);
    }
  })();
  await sleep(50);
  longest = 0;
  const start = performance.now();
  const { length } = await (await fetch(url(options.path))).text();
  const time = performance.now() - start;
  isDone = true;
  await asking;
  const delay = 1000 * valueIn(await metrics(), 'wallet_rpc_event_loop_delay_max_seconds');
  return { time, longest, bytes: length, delay };
}

/** Number of answers whose processor time is measured together. */
const ANSWERS = 20;

/** Measures the processor time of one answer [ms], which a busy machine changes little. */
async function processorTime(): Promise<number> {
  const used = async (): Promise<number> =>
    1000 * valueIn(await metrics(), 'wallet_rpc_process_cpu_seconds_total');
  const [start, idle] = [await used(), await used()];
  for (let i = 0; i < ANSWERS; i++) await (await fetch(url(options.path))).text();
  const end = await used();
  // The first difference is the time of a scrape alone.
  return Math.max(0, end - idle - (idle - start)) / ANSWERS;
}

async function report(title: string, before: () => Promise<unknown>): Promise<void> {
  const found = [];
  for (let i = 0; i < SCRAPES; i++) {
    await before();
    found.push(await scrape());
  }
  const middle = (values: number[]): string => median(values).toFixed(0);
  const most = (values: number[]): string => Math.max(...values).toFixed(0);
  console.log(
    `${title}: ${middle(found.map(({ time }) => time))} ms (at most ${most(found.map(({ time }) => time))}), ` +
      `${middle(found.map(({ bytes }) => bytes))} bytes; longest other answer ${most(found.map(({ longest }) => longest))} ms, ` +
      `delay of the event loop at most ${most(found.map(({ delay }) => delay))} ms`,
  );
}

try {
  for (let i = 0; i < WALLETS; i++) await createWallet(walletCalls(server.port, `wallet ${i}`));
  await until(
    'all wallets at the tip',
    async () => valueIn(await metrics(), 'wallet_rpc_open_wallets') === WALLETS || undefined,
    120_000,
  );
  await sleep(25_000);
  console.log(`${WALLETS} wallets, ${options.path}, ${SCRAPES} times each`);
  await report('unchanged stores', () => Promise.resolve());
  console.log(`processor time of an answer: ${(await processorTime()).toFixed(1)} ms`);
  await report('a block more in each store', async () => {
    await daemon.generate(ADDRESS, 1);
    await sleep(25_000);
  });
} finally {
  await server.stop();
  await daemon.stop();
}
