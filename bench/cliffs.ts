import { rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../test/support/processes/wallet-rpc.js';
import { HttpCaller } from './http-caller.js';
import { keptPaidChain } from './kept-paid-chain.js';
import { FILENAME, PASSWORD, type Members } from './method-calls.js';
import { PAYEE_SEED, PAYMENTS_A_BLOCK } from './paid-chain.js';
import { median, printTable } from './table.js';

/*
 * Time of calls on both sides of every size at which this server changes its way of working, ours and the reference's.
 * Each round starts both servers, opens the wallet, and makes each call once, as a client does after a restart, then some
 * times more, as one that polls.
 * usage: cliffs [--payments 32000] [--addresses 250] [--rounds 5] [--keep DIR] [--only TEXT]
 */

const { values: options } = parseArgs({
  options: {
    payments: { type: 'string', default: '32000' },
    addresses: { type: 'string', default: '250' },
    rounds: { type: 'string', default: '5' },
    keep: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const payments = Number(options.payments);
const addresses = Number(options.addresses);
const rounds = Number(options.rounds);

/** Addresses of the wallet, paid ones and others. */
const CREATED = 1100;
/** Largest number of addresses that the reference creates in one call. */
const CREATED_AT_ONCE = 64;

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** A call, and the ratio to the reference that it should not exceed. */
interface Case {
  readonly name: string;
  readonly method: string;
  readonly params: Members;
  readonly bar: number;
}

const outputsOf = (count: number): string => `${(count * payments) / addresses} outputs`;

/** Calls whose cost must grow with their answer alone. @param tip height of the newest block. */
function casesOf(tip: number, address: string): readonly Case[] {
  const cases = (
    what: string,
    method: string,
    bar: number,
    sizes: readonly number[],
    sized: (size: number) => readonly [text: string, params: Members],
  ): Case[] =>
    sizes.map((size) => {
      const [text, params] = sized(size);
      return { name: `${what}, ${text}`, method, params, bar };
    });
  const payingAddresses = [1, 7, 8, 256, 257].filter((count) => count <= addresses);
  const poll = { in: true, pool: true };
  const last = (blocks: number): Members => ({
    ...{ in: true, filter_by_height: true },
    ...{ min_height: tip - blocks, max_height: tip },
  });
  return [
    ...cases('poll of addresses', 'get_transfers', 0.1, [1, 2, 3, 20, addresses], (count) => [
      outputsOf(count),
      { ...poll, subaddr_indices: upTo(count) },
    ]),
    ...cases('poll of one address', 'get_transfers', 0.1, [10, 100], (blocks) => [
      `last ${blocks} blocks`,
      { ...last(blocks), ...poll, subaddr_indices: [1] },
    ]),
    ...cases('outputs of addresses', 'incoming_transfers', 0.2, [1, 2, 3, 8, 9], (count) => [
      outputsOf(count),
      { transfer_type: 'all', subaddr_indices: upTo(count) },
    ]),
    ...cases('newest payments', 'get_transfers', 0.08, [6, 7, 10], (blocks) => [
      `${blocks * PAYMENTS_A_BLOCK} in ${blocks} blocks`,
      last(blocks),
    ]),
    ...cases('payments', 'get_transfers', 0.08, [payments], () => [
      'all',
      { in: true, out: true, pending: true, failed: true, pool: true },
    ]),
    ...cases('outputs', 'incoming_transfers', 0.2, [payments], () => ['all', { transfer_type: 'all' }]),
    ...cases('get_payments', 'get_payments', 0.2, [1], () => [
      'of no payment id',
      { payment_id: '0000000000000000' },
    ]),
    ...cases('get_bulk_payments', 'get_bulk_payments', 0.2, [1], () => ['all', { payment_ids: [] }]),
    ...cases('get_balance of addresses', 'get_balance', 1, [1, 1000, 1001], (count) => [
      `${count}`,
      { account_index: 0, address_indices: upTo(count) },
    ]),
    ...cases('get_address of addresses', 'get_address', 1, [128, 129, 256, 257], (count) => [
      `${count}`,
      { account_index: 0, address_index: upTo(count) },
    ]),
    ...cases('transfer', 'transfer', 0.15, payingAddresses, (count) => [
      `from ${outputsOf(count)} of ${count} addresses`,
      {
        ...{ destinations: [{ address, amount: 1_000_000 }], do_not_relay: true },
        subaddr_indices: upTo(count),
      },
    ]),
    ...cases('export_outputs', 'export_outputs', 0.2, [1], () => ['all', { all: true }]),
  ];
}

const chain = await keptPaidChain({ payments, addresses, kind: 'transactions', keep: options.keep });
const daemon = await startRegtestDaemon([`--data-dir=${chain.dataDir}`]);
const name = { filename: FILENAME, password: PASSWORD };

type Launch = (walletDir?: string) => Promise<WalletRpc>;
const LAUNCHES: readonly Launch[] = [startWalletRpc, startReference].map(
  (launch) => (walletDir) =>
    launch({ daemon: daemon.address, ...(walletDir === undefined ? {} : { walletDir }) }),
);

/** Restores the wallet in a new directory. */
async function prepare(launch: Launch): Promise<{ walletDir: string; tip: number; address: string }> {
  const wallet = await launch();
  await wallet.rpc('restore_deterministic_wallet', { ...name, seed: PAYEE_SEED, restore_height: 0 });
  for (let made = 0; made < CREATED; made += CREATED_AT_ONCE)
    await wallet.rpc('create_address', { account_index: 0, count: CREATED_AT_ONCE });
  await wallet.rpc('refresh');
  const { height } = await wallet.rpc('get_height');
  const { address } = await wallet.rpc('get_address');
  await wallet.rpc('close_wallet');
  await wallet.stop({ keep: true });
  return { walletDir: wallet.walletDir, tip: Number(height) - 1, address: String(address) };
}

/** Number of calls after the first one. */
const REPEATS = 5;
/** Time from which a call is not repeated [ms]. */
const LONG_MS = 1000;

/** Times of a call on one server [ms]. */
interface Times {
  readonly first: number;
  /** Median of later calls; the first one if that took long. */
  readonly later: number;
}

/** Calls every case several times, on a server that was just started. */
async function measure(launch: Launch, walletDir: string, cases: readonly Case[]): Promise<Times[]> {
  const wallet = await launch(walletDir);
  const caller = new HttpCaller(wallet.port, { user: '', password: '' });
  try {
    await caller.call('open_wallet', name);
    await caller.call('auto_refresh', { enable: false });
    const times: Times[] = [];
    for (const { name: what, method, params } of cases) {
      const time = (): Promise<number> =>
        caller.time(method, params).catch((error: unknown) => {
          process.stderr.write(`${what}: ${String(error)}\n`);
          return Number.NaN;
        });
      const first = await time();
      const later: number[] = [];
      while (first < LONG_MS && later.length < REPEATS) later.push(await time());
      times.push({ first, later: later.length === 0 ? first : median(later) });
    }
    return times;
  } finally {
    caller.close();
    await wallet.stop({ keep: true });
  }
}

const prepared: Awaited<ReturnType<typeof prepare>>[] = [];
try {
  for (const launch of LAUNCHES) prepared.push(await prepare(launch));
  const [{ tip, address } = { tip: 0, address: '' }] = prepared;
  const cases = casesOf(tip, address).filter((each) => each.name.includes(options.only));
  const samples = LAUNCHES.map((): Times[][] => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, launch] of LAUNCHES.entries())
      samples[i]?.push(await measure(launch, prepared[i]?.walletDir ?? '', cases));
  const load = loadavg().map((average) => average.toFixed(1));
  process.stdout.write(
    `${payments} payments to ${addresses} addresses, ms, median of ${rounds} servers just started; load ${load.join(' ')}\n`,
  );
  const medians = (at: number, which: keyof Times): readonly string[] => {
    const [ours = Number.NaN, theirs = Number.NaN] = samples.map((times) =>
      median(times.map((time) => time[at]?.[which] ?? Number.NaN)),
    );
    return [ours.toFixed(1), theirs.toFixed(1), (ours / theirs).toFixed(3)];
  };
  printTable(
    ['', 'first: ours', 'reference', 'ratio', 'later: ours', 'reference', 'ratio', 'bar'],
    cases.map(({ name: what, bar }, at) => [
      what,
      ...medians(at, 'first'),
      ...medians(at, 'later'),
      String(bar),
    ]),
  );
} finally {
  await daemon.stop();
  for (const { walletDir } of prepared) rmSync(walletDir, { recursive: true, force: true });
  chain.remove();
}
