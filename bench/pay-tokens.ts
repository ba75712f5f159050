import { rmSync } from 'node:fs';
import { get } from 'node:http';
import { parseArgs } from 'node:util';
import { createWallet } from '../test/support/wallets/create-wallet.js';
import { walletCalls, type Loose } from '../test/support/network/json-rpc.js';
import { startWalletRpc } from '../test/support/processes/wallet-rpc.js';
import { percentile, printTable } from './table.js';
import { cpuSeconds, pidOf } from './usage.js';

/*
 * Pay pages after a restart: the search of a token among many open wallets, all with payment requests.
 * usage: pay-tokens [--wallets 1000] [--requests 3]; needs 1,060 requests, since each search has a token of its own
 */

const { values: options } = parseArgs({
  options: { wallets: { type: 'string', default: '1000' }, requests: { type: 'string', default: '3' } },
});
const WALLETS = Number(options.wallets);
const REQUESTS = Number(options.requests);
/** Number of searches in each row. A client gets 600 a minute. */
const SEARCHES = 150;

const nameOf = (i: number): string => `w${i}`;
const args = ['--offline', '--pay-bind=0'];
const maker = await startWalletRpc({ args });
const paths: string[] = [];
for (let i = 0; i < WALLETS; i++) {
  const wallet = walletCalls(maker.port, nameOf(i));
  await createWallet(wallet);
  for (let n = 0; n < REQUESTS; n++) {
    const { pay_url: url } = await wallet.rpc('create_payment_request', { amount: 1_000_000 });
    paths.push(new URL(url as string).pathname);
  }
}
await maker.stop({ keep: true });
const server = await startWalletRpc({
  walletDir: maker.walletDir,
  args: [...args, ...Array.from({ length: WALLETS }, (_, i) => `--open=${nameOf(i)}`)],
});
// A wallet under its path answers when it is open; they are opened in their order.
for (let isOpen = false; !isOpen; await new Promise((done) => setTimeout(done, 500)))
  isOpen =
    (await walletCalls(server.port, nameOf(WALLETS - 1)).call('get_version')).error === undefined &&
    (await server.rpc('list_wallets')).wallets.filter(({ open }: Loose) => open === true).length === WALLETS;
const pid = pidOf(server);
const { pay_url: newest } = await walletCalls(server.port, nameOf(0)).rpc('create_payment_request', {
  amount: 1,
});
const { origin, pathname: known } = new URL(newest as string);

const statusOf = (path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(`${origin}${path}`, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode));
    }).on('error', reject);
  });
async function timeOf(path: string, expected: number): Promise<number> {
  const began = performance.now();
  const status = await statusOf(path);
  if (status !== expected) throw new Error(`${path}: status ${status}`);
  return performance.now() - began;
}
// While wallets are still to be opened, a token that is not found has another answer.
while ((await statusOf(`/pay/${'0'.repeat(32)}`)) !== 404)
  await new Promise((done) => setTimeout(done, 1000));

const rows: (readonly [what: string, value: string])[] = [];
async function measure(what: string, limit: number, expected: number, pathOf: (i: number) => string) {
  const times: number[] = [];
  const before = cpuSeconds(pid);
  const waits: number[] = [];
  let next = 0;
  let isDone = false;
  // A request to one wallet meanwhile.
  const others = (async () => {
    while (!isDone) {
      const began = performance.now();
      await walletCalls(server.port, nameOf(7)).rpc('get_address');
      waits.push(performance.now() - began);
    }
  })();
  await Promise.all(
    Array.from({ length: limit }, async () => {
      for (let i = next++; i < SEARCHES; i = next++) times.push(await timeOf(pathOf(i), expected));
    }),
  );
  isDone = true;
  await others;
  const cpu = (1000 * (cpuSeconds(pid) - before)) / SEARCHES;
  rows.push([
    `${what}, ${limit} at a time: median; 99th percentile; CPU of the server with other requests`,
    `${percentile(times, 0.5).toFixed(1)}; ${percentile(times, 0.99).toFixed(1)}; ${cpu.toFixed(1)} ms`,
  ]);
  rows.push([
    '  get_address meanwhile: median; 99th percentile',
    `${percentile(waits, 0.5).toFixed(1)}; ${percentile(waits, 0.99).toFixed(1)} ms`,
  ]);
}

await measure('search of a token, the first after the start', 1, 200, (i) => paths[i * 7] ?? '');
await measure('search of a token', 1, 200, (i) => paths[i * 7 + 1] ?? '');
await measure('search of a token', 8, 200, (i) => paths[i * 7 + 2] ?? '');
await new Promise((done) => setTimeout(done, 30_000));
await measure('no such token', 1, 404, (i) => `/pay/${String(i).padStart(32, 'a')}`);
await measure('known token', 1, 200, () => known);
printTable(['measurement', 'ours'], rows);
await server.stop();
rmSync(maker.walletDir, { recursive: true });
