import { unpackBenchChain } from '../test/support/chain/bench-chain.js';
import { startMonerod } from '../test/support/processes/monerod.js';
import {
  startReference,
  startWalletRpc,
  type WalletRpc,
  type WalletRpcOptions,
} from '../test/support/processes/wallet-rpc.js';
import { besideBusyPrograms } from './busy-programs.js';
import { median, printTable } from './table.js';
import { cpuSeconds, MemoryWatch, pidOf } from './usage.js';

/*
 * Refresh of the bench chain from scratch, ours and the reference's alternately in one run: on a quiet machine, beside
 * programs that keep all processors or one of them busy, and on one processor. A client restores a wallet as soon as the
 * server answers, as a launcher does. Both servers derive the addresses to watch when a wallet is restored, so a client
 * waits from the restoring call to the end of the refresh.
 */

const ROUNDS = Number(process.argv[2] ?? 5);

/** Restricts a server to one core. */
const ONE_CORE = ['taskset', '-c', '1'];

interface Sample {
  readonly seconds: number;
  readonly refreshSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

type Launch = (options: WalletRpcOptions) => Promise<WalletRpc>;

async function measure(
  launch: Launch,
  options: WalletRpcOptions,
  seed: string,
  expected: number,
): Promise<Sample> {
  const wallet = await launch(options);
  try {
    const pid = pidOf(wallet);
    const memory = new MemoryWatch(pid);
    const before = cpuSeconds(pid);
    const started = performance.now();
    await wallet.rpc('restore_deterministic_wallet', {
      filename: 'merchant',
      password: '',
      seed,
      restore_height: 0,
    });
    const restored = performance.now();
    await wallet.rpc('refresh');
    const ended = performance.now();
    const { balance } = await wallet.rpc('get_balance', { all_accounts: true });
    if (balance !== expected) throw new Error(`wrong balance: ${balance}`);
    const cpu = cpuSeconds(pid) - before;
    return {
      seconds: (ended - started) / 1000,
      refreshSeconds: (ended - restored) / 1000,
      cpuSeconds: cpu,
      peakMiB: memory.stop(),
    };
  } finally {
    await wallet.stop();
  }
}

interface Samples {
  readonly ours: Sample[];
  readonly theirs: Sample[];
}

const chain = unpackBenchChain();
const daemon = await startMonerod({ dataDir: chain.dataDir });
try {
  const { seed } = chain.wallet('merchant');
  const expected = chain.meta.merchant_balance;
  const sample = async (options: WalletRpcOptions): Promise<Samples> => {
    const samples: Samples = { ours: [], theirs: [] };
    for (let round = 0; round < ROUNDS; round++) {
      samples.ours.push(await measure(startWalletRpc, options, seed, expected));
      samples.theirs.push(await measure(startReference, options, seed, expected));
    }
    return samples;
  };
  const all = await sample({ daemon: daemon.address });
  const busy = await besideBusyPrograms(() => sample({ daemon: daemon.address }));
  const oneBusy = await besideBusyPrograms(() => sample({ daemon: daemon.address }), 1);
  const one = await sample({ daemon: daemon.address, under: ONE_CORE, args: ['--max-concurrency=1'] });
  const row = (
    samples: Samples,
    what: string,
    unit: string,
    of: (sample: Sample) => number,
    bar = '',
  ): readonly string[] => {
    const [ours, theirs] = [median(samples.ours.map(of)), median(samples.theirs.map(of))];
    return [
      what,
      `${ours.toFixed(2)} ${unit}`,
      `${theirs.toFixed(2)} ${unit}`,
      (ours / theirs).toFixed(2),
      bar,
    ];
  };
  const beside = (samples: Samples, where: string, bar?: string): (readonly string[])[] => [
    row(samples, `${where}: restore and refresh`, 's', ({ seconds }) => seconds),
    row(samples, `${where}: the refresh of it alone`, 's', ({ refreshSeconds }) => refreshSeconds, bar),
  ];
  process.stdout.write(`Refresh of ${chain.meta.height} blocks, 3,000 transactions, median of ${ROUNDS}\n`);
  printTable(
    ['', 'ours', 'reference', 'ratio', 'bar'],
    [
      row(all, 'restore and refresh, wall time', 's', ({ seconds }) => seconds),
      row(all, 'the refresh of it alone', 's', ({ refreshSeconds }) => refreshSeconds, '0.4'),
      row(all, 'CPU time of both', 's', ({ cpuSeconds }) => cpuSeconds),
      row(all, 'peak memory', 'MiB', ({ peakMiB }) => peakMiB, '76 MiB'),
      ...beside(busy, 'beside busy programs', '0.6'),
      ...beside(oneBusy, 'beside one busy program', '0.5'),
      ...beside(one, 'on one core'),
      row(one, 'on one core: CPU time of both', 's', ({ cpuSeconds }) => cpuSeconds),
    ],
  );
} finally {
  await daemon.stop();
  chain.remove();
}
