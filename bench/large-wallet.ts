import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { accountKeysOf, spendSecretFromSeed } from '../src/cryptonote/account-keys.js';
import { formatAddress } from '../src/cryptonote/address.js';
import { decodeMnemonic } from '../src/cryptonote/mnemonic.js';
import { post } from '../test/support/json-rpc.js';
import { startRegtestDaemon } from '../test/support/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../test/support/wallet-rpc.js';
import { makePaidChain, PAYMENTS_A_BLOCK } from './paid-chain.js';
import { median, printTable } from './table.js';
import { usage } from './usage.js';

/*
 * A wallet with many payments: what its requests cost, ours beside the reference's on the same chain in one run.
 * usage: large-wallet [--payments 50000] [--addresses 1000] [--rounds 5] [--only ours|reference]
 */

const SEED =
  'velvet lymph giddy number token physics poetry unquoted nibs useful sabotage limits benches lifestyle eden nitrogen anvil fewest avoid batch vials washing fences goat unquoted';

const { values: options } = parseArgs({
  options: {
    payments: { type: 'string', default: '50000' },
    addresses: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
  },
});
const [payments, addresses, rounds] = [options.payments, options.addresses, options.rounds].map(Number) as [
  number,
  number,
  number,
];

/** Milliseconds, by what was asked for. */
type Figures = Map<string, number>;

const clock = async (task: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await task();
  return performance.now() - started;
};

/** From sending a call to the last byte of its answer. */
async function ask(wallet: WalletRpc, method: string, params: unknown = {}): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: '0', method, params });
  const started = performance.now();
  const { text } = await post(wallet.port, '/json_rpc', body);
  const taken = performance.now() - started;
  if (text.slice(0, 300).includes('"error"')) throw new Error(`${method}: ${text.slice(0, 300)}`);
  return taken;
}

async function several(task: () => Promise<number>): Promise<number> {
  const samples = [];
  for (let round = 0; round < rounds; round++) samples.push(await task());
  return median(samples);
}

/** Of a wallet that nobody opens. */
const STRANGER = formatAddress({
  network: 'mainnet',
  kind: 'standard',
  ...accountKeysOf(spendSecretFromSeed(new Uint8Array(32).fill(7))),
});

const destinations = (count: number): unknown => ({
  destinations: Array.from({ length: count }, (_, i) => ({
    amount: 1_000_000 + i,
    address: STRANGER,
  })),
});

/** Asks again and again while the wallet refreshes. @returns milliseconds of every answer. */
async function whileRefreshing(wallet: WalletRpc, over: () => boolean): Promise<number[]> {
  const latencies: number[] = [];
  while (!over())
    for (const [method, params] of [
      ['get_balance', {}],
      ['get_transfers', { in: true, filter_by_height: true, min_height: 100, max_height: 110 }],
      ['create_address', { account_index: 0 }],
    ] as const) {
      latencies.push(await ask(wallet, method, params));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  return latencies;
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

async function measure(launch: () => Promise<WalletRpc>, tip: number): Promise<Figures> {
  const figures: Figures = new Map();
  const wallet = await launch();
  const pid = wallet.process.child.pid ?? 0;
  const name = { filename: 'large', password: '' };
  const note = (what: string, value: number): void => {
    figures.set(what, value);
    process.stderr.write(`${what}: ${value.toFixed(1)}\n`);
  };
  try {
    await wallet.rpc('restore_deterministic_wallet', { ...name, seed: SEED, restore_height: 0 });
    let over = false;
    const before = usage(pid).cpuSeconds;
    const refreshing = clock(() => wallet.rpc('refresh')).finally(() => (over = true));
    const [refreshed, latencies] = await Promise.all([refreshing, whileRefreshing(wallet, () => over)]);
    note('refresh', refreshed);
    note('refresh, CPU', 1000 * (usage(pid).cpuSeconds - before));
    note('requests meanwhile, 99th percentile', percentile(latencies, 0.99));
    note('requests meanwhile, number', latencies.length);
    note('get_balance', await several(() => ask(wallet, 'get_balance')));
    note('get_address', await several(() => ask(wallet, 'get_address')));
    const recent = {
      in: true,
      filter_by_height: true,
      min_height: tip - 100 / PAYMENTS_A_BLOCK,
      max_height: tip,
    };
    note('get_transfers, last 100', await several(() => ask(wallet, 'get_transfers', recent)));
    note(
      'get_transfers, whole',
      await several(() => ask(wallet, 'get_transfers', { in: true, out: true, pool: true, pending: true })),
    );
    note(
      'incoming_transfers, whole',
      await several(() => ask(wallet, 'incoming_transfers', { transfer_type: 'all' })),
    );
    note('create_address', await several(() => ask(wallet, 'create_address', { account_index: 0 })));
    note('store', await several(() => ask(wallet, 'store')));
    note('transfer to 1', await several(() => ask(wallet, 'transfer', destinations(1))));
    note('transfer to 15', await several(() => ask(wallet, 'transfer', destinations(15))));
    const closing: number[] = [];
    const opening: number[] = [];
    for (let round = 0; round < rounds; round++) {
      closing.push(await ask(wallet, 'close_wallet'));
      opening.push(await ask(wallet, 'open_wallet', name));
    }
    note('close_wallet', median(closing));
    note('open_wallet', median(opening));
    note('peak MiB', usage(pid).peakMiB);
    note('resident MiB', usage(pid).residentMiB);
    return figures;
  } finally {
    await wallet.stop();
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'paid-chain-'));
try {
  const { viewSecret, spendPublicKey } = accountKeysOf(spendSecretFromSeed(decodeMnemonic(SEED).seed));
  const made = await clock(() => makePaidChain(dataDir, { spendPublicKey, viewSecret }, payments, addresses));
  process.stderr.write(
    `chain of ${payments / PAYMENTS_A_BLOCK} blocks made in ${(made / 1000).toFixed(0)} s\n`,
  );
  const daemon = await startRegtestDaemon([`--data-dir=${dataDir}`]);
  try {
    const tip = payments / PAYMENTS_A_BLOCK;
    const servers = [
      ['ours', startWalletRpc],
      ['reference', startReference],
    ] as const;
    const results: Figures[] = [];
    for (const [server, start] of servers) {
      if (options.only !== undefined && options.only !== server) continue;
      process.stderr.write(`${server}\n`);
      results.push(await measure(() => start({ daemon: daemon.address }), tip));
      await post(daemon.port, '/json_rpc', { jsonrpc: '2.0', id: '0', method: 'flush_txpool' });
    }
    process.stdout.write(`${payments} payments to ${addresses} addresses, ms, median of ${rounds}\n`);
    const [ours, theirs] = results;
    printTable(
      ['', ...(options.only === undefined ? ['ours', 'reference', 'ratio'] : [options.only])],
      [...(ours ?? [])].map(([what, value]) => {
        const other = theirs?.get(what);
        return [
          what,
          value.toFixed(1),
          ...(other === undefined ? [] : [other.toFixed(1), (value / other).toFixed(2)]),
        ];
      }),
    );
  } finally {
    await daemon.stop();
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
