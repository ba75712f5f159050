import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { walletCalls, type WalletCalls } from '../test/support/network/json-rpc.js';
import type { Monerod } from '../test/support/processes/monerod.js';
import { freePort } from '../test/support/processes/process.js';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { preload, startWalletRpc, type WalletRpc } from '../test/support/processes/wallet-rpc.js';
import { keptPaidChain } from './kept-paid-chain.js';
import { PAYEE_SEED } from './paid-chain.js';
import { median, printTable } from './table.js';
import { cpuSeconds, memoryMiB, MemoryWatch, pidOf } from './usage.js';

/*
 * Events and orders: latency of an event, a repeated order, cost of events in a refresh, replay of a long history.
 * usage: events [--only latency,order,cost,replay] [--rounds 30] [--paid 50000] [--refreshes 5]
 *   [--keep DIR]
 */

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'latency,order,cost,replay' },
    rounds: { type: 'string', default: '30' },
    paid: { type: 'string', default: '50000' },
    refreshes: { type: 'string', default: '5' },
    keep: { type: 'string' },
  },
});
const ROUNDS = Number(options.rounds);
const PERIOD_MS = 2000;
/** Events of the replays, on one server. */
const REPLAYS = [10_000, 100_000, 300_000];
/** Time after which idle threads of a refresh have ended. */
const REST_SECONDS = 20;

const rows: (readonly [what: string, value: string, bar: string])[] = [];
const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** Calls a function for every event of a stream, until the stream ends. */
async function readStream(
  server: WalletRpc,
  after: number,
  onEvent: (type: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const url = `http://127.0.0.1:${server.port}/events?after=${after}`;
  const { body } = await fetch(url, { signal });
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    const blocks = (text + decoder.decode(part, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const type = /^event: (.*)$/m.exec(block)?.[1];
      if (type !== undefined) onEvent(type);
    }
  }
}

/** Time from the request for a block to its event at a client [ms]. */
async function latencies(daemon: Monerod, args: readonly string[], period: number): Promise<number[]> {
  const server = await startWalletRpc({ daemon: daemon.address, args });
  const abort = new AbortController();
  try {
    const wallet = walletCalls(server.port, 'w');
    await wallet.rpc('create_wallet', { password: '', language: 'English' });
    const address = (await wallet.rpc('get_address')).address as string;
    await wallet.rpc('refresh');
    await wallet.rpc('auto_refresh', { period });
    let arrived = (): void => undefined;
    const onEvent = (type: string): void => {
      if (type === 'payment.mined') arrived();
    };
    const { cursor } = await wallet.rpc('get_events', { limit: 1000 });
    readStream(server, cursor as number, onEvent, abort.signal).catch(() => undefined);
    await sleep(1000);
    const times: number[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      await sleep(50 + Math.random() * 500);
      const arrival = new Promise<void>((resolve) => (arrived = resolve));
      const started = performance.now();
      await daemon.rpc('generateblocks', { wallet_address: address, amount_of_blocks: 1 });
      await arrival;
      times.push(performance.now() - started);
    }
    return times;
  } finally {
    abort.abort();
    await server.stop();
  }
}

async function measureLatency(): Promise<void> {
  const port = await freePort();
  const daemon = await startRegtestDaemon([`--zmq-pub=tcp://127.0.0.1:${port}`]);
  try {
    const pushed = await latencies(daemon, [`--daemon-zmq=tcp://127.0.0.1:${port}`], 20);
    const polled = await latencies(daemon, [], PERIOD_MS / 1000);
    rows.push(
      ['a new block to its event at a client, --daemon-zmq, median', ms(median(pushed)), '150 ms'],
      ['the same, longest', ms(Math.max(...pushed)), ''],
      [
        `the same, refreshed every ${PERIOD_MS / 1000} s, longest`,
        ms(Math.max(...polled)),
        `${PERIOD_MS + 100} ms`,
      ],
    );
  } finally {
    await daemon.stop();
  }
}

/** Pays once under a key, then repeats the call. */
async function measureOrder(): Promise<void> {
  const daemon = await startRegtestDaemon();
  const server = await startWalletRpc({ daemon: daemon.address });
  try {
    const wallet: WalletCalls = walletCalls(server.port, 'w');
    await wallet.rpc('create_wallet', { password: '', language: 'English' });
    const address = (await wallet.rpc('get_address')).address as string;
    await daemon.generate(address, 80);
    await wallet.rpc('refresh');
    const order = { destinations: [{ amount: 1_000_000, address }], idempotency_key: 'bench' };
    await wallet.rpc('transfer', order);
    const times: number[] = [];
    for (let i = 0; i < 20 * ROUNDS; i++) {
      const started = performance.now();
      await wallet.rpc('transfer', order);
      times.push(performance.now() - started);
    }
    rows.push(['a repeated order, median', ms(median(times)), '5 ms']);
  } finally {
    await server.stop();
    await daemon.stop();
  }
}

/** Flag of Node for a server that writes no events. */
const WITHOUT_EVENTS = preload('without-events');

/** Time and processor time of a refresh of the whole chain [ms]. */
interface RefreshCost {
  readonly elapsed: number;
  readonly cpu: number;
}

async function costOfRefresh(daemon: Monerod, nodeFlags: readonly string[]): Promise<RefreshCost> {
  const server = await startWalletRpc({ daemon: daemon.address, checked: true, nodeFlags });
  try {
    const wallet = walletCalls(server.port, 'w');
    await wallet.rpc('restore_deterministic_wallet', { password: '', seed: PAYEE_SEED, restore_height: 0 });
    const pid = pidOf(server);
    const before = cpuSeconds(pid);
    const started = performance.now();
    await wallet.rpc('refresh');
    const elapsed = performance.now() - started;
    const cpu = 1000 * (cpuSeconds(pid) - before);
    const { events = [] } = await wallet.rpc('get_events', { limit: 1 });
    if ((events as unknown[]).length !== (nodeFlags.length === 0 ? 1 : 0))
      throw new Error('the events are not those of the setting');
    return { elapsed, cpu };
  } finally {
    await server.stop();
  }
}

/** Refreshes a wallet with many payments, with and without events alternately. */
async function measureCost(): Promise<void> {
  const payments = Number(options.paid);
  const chain = await keptPaidChain({ payments, addresses: 1000, keep: options.keep });
  const daemon = await startRegtestDaemon([`--data-dir=${chain.dataDir}`]);
  try {
    const samples: { readonly on: RefreshCost[]; readonly off: RefreshCost[] } = { on: [], off: [] };
    for (let round = 0; round < Number(options.refreshes); round++) {
      samples.on.push(await costOfRefresh(daemon, []));
      samples.off.push(await costOfRefresh(daemon, [WITHOUT_EVENTS]));
    }
    for (const [name, of, bar] of [
      ['elapsed', (cost: RefreshCost) => cost.elapsed, '5 %'],
      ['processor', (cost: RefreshCost) => cost.cpu, ''],
    ] as const) {
      const [on, off] = [median(samples.on.map(of)), median(samples.off.map(of))];
      process.stderr.write(
        `${name}: ${samples.on.map(of).map(Math.round).join(' ')} | ${samples.off.map(of).map(Math.round).join(' ')}\n`,
      );
      rows.push([
        `refresh of ${payments} payments, ${name} time, events over none (${ms(on)}, ${ms(off)})`,
        `${((100 * (on - off)) / off).toFixed(1)} %`,
        bar,
      ]);
    }
  } finally {
    await daemon.stop();
    chain.remove();
  }
}

/** Streams the first events of a history. @returns their number, the time [ms], and the greatest memory [MiB]. */
async function replay(
  server: WalletRpc,
  limit: number,
): Promise<{ readonly count: number; readonly elapsed: number; readonly peak: number }> {
  const watch = new MemoryWatch(pidOf(server));
  const abort = new AbortController();
  let count = 0;
  const started = performance.now();
  let last = started;
  const onEvent = (): void => {
    if (count >= limit) return;
    count += 1;
    last = performance.now();
    if (count === limit) abort.abort();
  };
  const reading = readStream(server, 0, onEvent, abort.signal).catch(() => undefined);
  while (performance.now() - last < 2000) await sleep(50);
  abort.abort();
  await reading;
  return { count, elapsed: last - started, peak: watch.stop() };
}

/** Streams short and long parts of a history. */
async function measureReplay(): Promise<void> {
  const chain = await keptPaidChain({ payments: Number(options.paid), addresses: 1000, keep: options.keep });
  const daemon = await startRegtestDaemon([`--data-dir=${chain.dataDir}`]);
  // Six events for each payment.
  const server = await startWalletRpc({ daemon: daemon.address, args: ['--confirmations=1,2,5,10'] });
  try {
    const wallet = walletCalls(server.port, 'w');
    await wallet.rpc('restore_deterministic_wallet', { password: '', seed: PAYEE_SEED, restore_height: 0 });
    await wallet.rpc('refresh');
    await sleep(1000 * REST_SECONDS);
    const before = memoryMiB(pidOf(server));
    for (const limit of REPLAYS) {
      const { count, elapsed, peak } = await replay(server, limit);
      rows.push(
        [`replay of ${count} events, a second`, ((1000 * count) / elapsed).toFixed(0), '20000'],
        [
          `memory during it, over the ${before.toFixed(0)} MiB before`,
          `${(peak - before).toFixed(0)} MiB`,
          'flat',
        ],
      );
    }
  } finally {
    await server.stop();
    await daemon.stop();
    chain.remove();
  }
}

const only = options.only.split(',');
if (only.includes('latency')) await measureLatency();
if (only.includes('order')) await measureOrder();
if (only.includes('cost')) await measureCost();
if (only.includes('replay')) await measureReplay();
printTable(['', 'measured', 'must reach'], rows);
