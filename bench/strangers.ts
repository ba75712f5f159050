import { parseArgs } from 'node:util';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../test/support/processes/wallet-rpc.js';
import { keptStrangersChain } from './kept-paid-chain.js';
import { PAYEE_SEED } from './paid-chain.js';
import { median, printTable } from './table.js';
import { cpuSeconds, pidOf } from './usage.js';

/*
 * Refresh of a chain without own payments, whose transactions have a key for each output, ours and the reference's by
 * turns: the work of the curve, and what is around it.
 * usage: strangers [--transactions 4000] [--outputs 2,14] [--rounds 5] [--keep DIR]
 */

const { values: options } = parseArgs({
  options: {
    transactions: { type: 'string', default: '4000' },
    outputs: { type: 'string', default: '2,14' },
    rounds: { type: 'string', default: '5' },
    keep: { type: 'string' },
  },
});

const BAR = '0.65';

interface Sample {
  readonly ms: number;
  readonly cpuMs: number;
}

/** Refreshes a new wallet of a server that was just started. */
async function measure(launch: () => Promise<WalletRpc>): Promise<Sample> {
  const wallet = await launch();
  try {
    await wallet.rpc('restore_deterministic_wallet', {
      ...{ filename: 'strangers', password: '', seed: PAYEE_SEED, restore_height: 0 },
    });
    const before = cpuSeconds(pidOf(wallet));
    const started = performance.now();
    await wallet.rpc('refresh');
    return { ms: performance.now() - started, cpuMs: 1000 * (cpuSeconds(pidOf(wallet)) - before) };
  } finally {
    await wallet.stop();
  }
}

const rows: string[][] = [];
for (const outputs of options.outputs.split(',').map(Number)) {
  const transactions = Number(options.transactions);
  const chain = await keptStrangersChain({ transactions, outputs, keep: options.keep });
  const daemon = await startRegtestDaemon([`--data-dir=${chain.dataDir}`]);
  const ours: Sample[] = [];
  const theirs: Sample[] = [];
  try {
    for (let round = 0; round < Number(options.rounds); round++) {
      ours.push(await measure(() => startWalletRpc({ daemon: daemon.address })));
      theirs.push(await measure(() => startReference({ daemon: daemon.address })));
    }
  } finally {
    await daemon.stop();
    chain.remove();
  }
  for (const [what, of] of [
    ['refresh', ({ ms }: Sample) => ms],
    ['its CPU', ({ cpuMs }: Sample) => cpuMs],
  ] as const) {
    const [own, other] = [median(ours.map(of)), median(theirs.map(of))];
    rows.push([
      `${what}, ${outputs} outputs a transaction`,
      ...[own, other].map((ms) => `${ms.toFixed(0)} ms`),
      ...[(own / other).toFixed(2), BAR],
    ]);
  }
}
process.stdout.write(
  `${options.transactions} transactions of others with a key for each output, medians of ${options.rounds}\n`,
);
printTable(['', 'ours', 'reference', 'ratio', 'bar'], rows);
