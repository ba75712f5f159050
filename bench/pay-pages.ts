import { get, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { walletCalls, type Loose, type WalletCalls } from '../test/support/network/json-rpc.js';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { startWalletRpc } from '../test/support/processes/wallet-rpc.js';
import { printTable } from './table.js';
import { cpuSeconds, memoryMiB, pidOf } from './usage.js';

/*
 * Pay pages: memory of open pages with their streams, the time until a change reaches all of them, and the time of a page.
 * usage: pay-pages [--pages 1000] [--rest 20]
 */

const { values: options } = parseArgs({
  options: { pages: { type: 'string', default: '1000' }, rest: { type: 'string', default: '20' } },
});
const PAGES = Number(options.pages);
/** Time after which a server has freed the memory of its last requests [ms]. */
const REST_MS = 1000 * Number(options.rest);
/** Largest number of destinations of a transfer. */
const DESTINATIONS = 15;
const COIN = 1_000_000_000_000;
/** Number and amount of the payments of a request with many of them [atomic units]. */
const PAYMENTS = 100;
const COIN_PART = COIN / 1000;

/** An open stream of a pay page. */
interface Stream {
  /** Content of the latest update. */
  latest: string;
  /** Time of the latest update [ms]. */
  time: number;
  readonly request: ClientRequest;
}

/** Opens the stream of a page. Resolves with its first update. */
const openStream = (payUrl: string): Promise<Stream> =>
  new Promise((resolve, reject) => {
    const request = get(`${payUrl}/events`, { agent: false }, (reply: IncomingMessage) => {
      if (reply.statusCode !== 200) return reject(new Error(`status ${reply.statusCode}`));
      const stream: Stream = { latest: '', time: 0, request };
      reply.setEncoding('utf8').on('data', (part: string) => {
        if (!part.includes('event: update')) return;
        stream.latest = part;
        stream.time = performance.now();
        resolve(stream);
      });
      return undefined;
    }).on('error', reject);
  });

async function openAll(urls: readonly string[]): Promise<Stream[]> {
  const streams: Stream[] = [];
  for (let at = 0; at < urls.length; at += 50)
    streams.push(...(await Promise.all(urls.slice(at, at + 50).map(openStream))));
  return streams;
}

/** Returns the time from a request to the first byte of its answer [ms]. */
const firstByte = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const begun = performance.now();
    get(url, (reply: IncomingMessage) => {
      reply.once('data', () => resolve(performance.now() - begun));
      reply.resume();
    }).on('error', reject);
  });

/** Waits until every stream has an update after a time that shows a text. @returns time of the last one [ms]. */
async function untilAll(streams: readonly Stream[], since: number, text: string): Promise<number> {
  const end = performance.now() + 60_000;
  const isLate = ({ latest, time }: Stream): boolean => time < since || !latest.includes(text);
  while (streams.some(isLate)) {
    if (performance.now() > end) throw new Error(`${streams.filter(isLate).length} without ${text}`);
    await sleep(5);
  }
  return Math.max(...streams.map(({ time }) => time));
}

const close = (streams: readonly Stream[]): void => {
  for (const { request } of streams) request.on('error', () => undefined).destroy();
};

const rows: (readonly [what: string, value: string, bar: string])[] = [];
const daemon = await startRegtestDaemon();
const server = await startWalletRpc({
  daemon: daemon.address,
  args: ['--pay-bind=0', '--confirmations-by-amount=0:10', '--refresh-period=0', '--trusted-daemon'],
});
const pid = pidOf(server);
const shop: WalletCalls = walletCalls(server.port, 'shop');
const buyer: WalletCalls = walletCalls(server.port, 'buyer');

/** Runs a task that changes pages. @returns times from its begin and from its end to the last update [ms]. */
async function change(task: () => Promise<unknown>, streams: readonly Stream[], text: string) {
  const cpu = cpuSeconds(pid);
  const begun = performance.now();
  await task();
  const ended = performance.now();
  const last = await untilAll(streams, begun, text);
  return `${(last - begun).toFixed(0)} ms from the refresh, ${(last - ended).toFixed(0)} from its end; ${(1000 * (cpuSeconds(pid) - cpu)).toFixed(0)} ms CPU`;
}

try {
  for (const wallet of [shop, buyer])
    await wallet.rpc('create_wallet', { password: '', language: 'English' });
  const miner = (await buyer.rpc('get_address')).address as string;
  await daemon.generate(miner, 80 + 3 * Math.ceil(PAGES / DESTINATIONS) + 3 * PAYMENTS);
  await buyer.rpc('refresh');
  await shop.rpc('refresh');
  const requests: Loose[] = [];
  for (let i = 0; i < PAGES; i++)
    requests.push(await shop.rpc('create_payment_request', { amount: COIN / 1000, label: `order ${i}` }));
  const urls = requests.map(({ pay_url: url }) => url as string);
  const [first] = requests;
  if (first === undefined) throw new Error('no pages');

  for (const url of urls) await (await fetch(url)).text();
  await sleep(REST_MS);
  const before = memoryMiB(pid);
  const begun = performance.now();
  const streams = await openAll(urls);
  const opened = performance.now() - begun;
  const peak = memoryMiB(pid);
  await sleep(REST_MS);
  rows.push(
    [`${PAGES} streams of ${PAGES} pages, opened in`, `${(opened / 1000).toFixed(1)} s`, ''],
    ['memory just after, over none', `${(peak - before).toFixed(1)} MiB of ${peak.toFixed(0)}`, '60 MiB'],
    [`after ${REST_MS / 1000} s of rest`, `${(memoryMiB(pid) - before).toFixed(1)} MiB`, '60 MiB'],
  );

  const refresh = () => shop.rpc('refresh');
  for (let at = 0; at < requests.length; at += DESTINATIONS) {
    const destinations = requests
      .slice(at, at + DESTINATIONS)
      .map(({ address }) => ({ amount: COIN / 1000, address: address as string }));
    await buyer.rpc('transfer', { destinations });
  }
  rows.push(['all are seen in the mempool', await change(refresh, streams, '"state":"seen"'), '1000 ms']);
  // Several blocks, since one may lack room for all payments.
  await daemon.generate(miner, 5);
  await change(refresh, streams, ' of 10 confirmations');
  await daemon.generate(miner, 1);
  rows.push(['a block confirms all', await change(refresh, streams, ' of 10 confirmations'), '1000 ms']);
  await daemon.generate(miner, 9);
  rows.push(['all are paid', await change(refresh, streams, '"state":"paid"'), '1000 ms']);
  await sleep(REST_MS);
  rows.push([
    `memory after ${REST_MS / 1000} s of rest, with the work of the wallet`,
    `${(memoryMiB(pid) - before).toFixed(1)} MiB`,
    '60 MiB',
  ]);
  const held = memoryMiB(pid);
  close(streams);
  await sleep(REST_MS);
  rows.push([
    'part of it that is free once they are closed',
    `${(held - memoryMiB(pid)).toFixed(1)} MiB`,
    '',
  ]);

  const one = await shop.rpc('create_payment_request', { amount: COIN / 1000 });
  const crowd = await openAll(Array<string>(PAGES).fill(one.pay_url as string));
  await buyer.rpc('transfer', { destinations: [{ amount: COIN / 1000, address: one.address as string }] });
  rows.push([
    `${PAGES} streams of one page see its payment`,
    await change(refresh, crowd, '"state":"seen"'),
    '1000 ms',
  ]);
  close(crowd);

  const many = await shop.rpc('create_payment_request', { amount: PAYMENTS * COIN_PART });
  for (let i = 0; i < PAYMENTS; i++)
    await buyer.rpc('transfer', {
      destinations: [{ amount: COIN_PART, address: many.address as string }],
    });
  for (const blocks of [3, 10]) {
    await daemon.generate(miner, blocks);
    await shop.rpc('refresh');
  }
  const times: number[] = [];
  for (let i = 0; i < 500; i++) times.push(await firstByte(many.pay_url as string));
  times.sort((a, b) => a - b);
  const [median, high] = [0.5, 0.99].map((part) => times[Math.floor(part * times.length)] ?? 0);
  rows.push([
    `first byte of the page of a request with ${PAYMENTS} payments, median and 99th percentile`,
    `${median?.toFixed(1)} and ${high?.toFixed(1)} ms`,
    '5 ms',
  ]);
} finally {
  await server.stop();
  await daemon.stop();
}
printTable(['pay pages', 'value', 'bar'], rows);
