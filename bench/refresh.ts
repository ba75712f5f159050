import { unpackBenchChain } from '../test/support/bench-chain.js';
import { startMonerod } from '../test/support/monerod.js';
import { startReference, startWalletRpc, type WalletRpc } from '../test/support/wallet-rpc.js';
import { median, printTable } from './table.js';
import { usage } from './usage.js';

/*
 * Refresh of the bench chain from scratch, ours beside the reference's in one run, turn by turn: from the call
 * that restores the wallet to the end of its refresh.
 */

const ROUNDS = Number(process.argv[2] ?? 5);

interface Sample {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

async function measure(launch: () => Promise<WalletRpc>, seed: string, expected: number): Promise<Sample> {
  const wallet = await launch();
  try {
    const pid = wallet.process.child.pid ?? 0;
    const before = usage(pid);
    const started = performance.now();
    await wallet.rpc('restore_deterministic_wallet', {
      filename: 'merchant',
      password: '',
      seed,
      restore_height: 0,
    });
    await wallet.rpc('refresh');
    const seconds = (performance.now() - started) / 1000;
    const { balance } = await wallet.rpc('get_balance', { all_accounts: true });
    if (balance !== expected) throw new Error(`wrong balance: ${balance}`);
    const after = usage(pid);
    return { seconds, cpuSeconds: after.cpuSeconds - before.cpuSeconds, peakMiB: after.peakMiB };
  } finally {
    await wallet.stop();
  }
}

const chain = unpackBenchChain();
const daemon = await startMonerod({ dataDir: chain.dataDir });
try {
  const { seed } = chain.wallet('merchant');
  const expected = chain.meta.merchant_balance;
  const samples: { readonly ours: Sample[]; readonly theirs: Sample[] } = { ours: [], theirs: [] };
  for (let round = 0; round < ROUNDS; round++) {
    samples.ours.push(await measure(() => startWalletRpc({ daemon: daemon.address }), seed, expected));
    samples.theirs.push(await measure(() => startReference({ daemon: daemon.address }), seed, expected));
  }
  const row = (what: string, unit: string, of: (sample: Sample) => number): string[] => {
    const [ours, theirs] = [median(samples.ours.map(of)), median(samples.theirs.map(of))];
    return [what, `${ours.toFixed(2)} ${unit}`, `${theirs.toFixed(2)} ${unit}`, (ours / theirs).toFixed(2)];
  };
  process.stdout.write(`Refresh of ${chain.meta.height} blocks, 3,000 transactions, median of ${ROUNDS}\n`);
  printTable(
    ['', 'ours', 'reference', 'ratio'],
    [
      row('wall time', 's', ({ seconds }) => seconds),
      row('CPU time', 's', ({ cpuSeconds }) => cpuSeconds),
      row('peak memory', 'MiB', ({ peakMiB }) => peakMiB),
    ],
  );
} finally {
  await daemon.stop();
  chain.remove();
}
