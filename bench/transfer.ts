import { unpackBenchChain } from '../test/support/chain/bench-chain.js';
import { startMonerod } from '../test/support/processes/monerod.js';
import { startReference, startWalletRpc, type WalletRpc } from '../test/support/processes/wallet-rpc.js';
import { median, printTable } from './table.js';

/*
 * Time from request to answer of an unrelayed payment, ours and the reference's alternately: the same wallet on the
 * same daemon.
 */

const ROUNDS = Number(process.argv[2] ?? 7);
/** Numbers of destinations, and the largest ratio that a payment to them should have. */
const SIZES = [
  { count: 1, bar: '0.12' },
  { count: 15, bar: '0.15' },
] as const;

async function opened(launch: () => Promise<WalletRpc>, seed: string): Promise<WalletRpc> {
  const wallet = await launch();
  await wallet.rpc('restore_deterministic_wallet', {
    filename: 'merchant',
    password: '',
    seed,
    restore_height: 0,
  });
  await wallet.rpc('refresh');
  return wallet;
}

/** Time of a payment to a number of destinations [s]. */
async function payment(wallet: WalletRpc, address: string, count: number): Promise<number> {
  const destinations = Array.from({ length: count }, (_, i) => ({ address, amount: 1_000_000 + i }));
  const started = performance.now();
  await wallet.rpc('transfer', { destinations, do_not_relay: true });
  return (performance.now() - started) / 1000;
}

const chain = unpackBenchChain();
const daemon = await startMonerod({ dataDir: chain.dataDir });
const { seed } = chain.wallet('merchant');
const wallets = [
  await opened(() => startWalletRpc({ daemon: daemon.address }), seed),
  await opened(() => startReference({ daemon: daemon.address }), seed),
];
try {
  const rows: string[][] = [];
  for (const { count, bar } of SIZES) {
    const samples: number[][] = wallets.map(() => []);
    for (let round = 0; round <= ROUNDS; round++)
      for (const [i, wallet] of wallets.entries()) {
        const { address } = await wallet.rpc('get_address', { account_index: 0 });
        const seconds = await payment(wallet, String(address), count);
        // The first payment fills tables and caches in both servers.
        if (round > 0) samples[i]?.push(seconds);
      }
    const [ours = Number.NaN, theirs = Number.NaN] = samples.map(median);
    rows.push([
      `to ${count}`,
      `${(1000 * ours).toFixed(0)} ms`,
      `${(1000 * theirs).toFixed(0)} ms`,
      (ours / theirs).toFixed(2),
      bar,
    ]);
  }
  process.stdout.write(`A payment, median of ${ROUNDS}\n`);
  printTable(['', 'ours', 'reference', 'ratio', 'bar'], rows);
} finally {
  for (const wallet of wallets) await wallet.stop();
  await daemon.stop();
  chain.remove();
}
