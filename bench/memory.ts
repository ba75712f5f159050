import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { unpackBenchChain } from '../test/support/chain/bench-chain.js';
import { startMonerod } from '../test/support/processes/monerod.js';
import { logged, start, stop } from '../test/support/processes/process.js';
import {
  ALLOCATOR,
  NODE_FLAGS,
  startReference,
  startWalletRpc,
  type WalletRpc,
} from '../test/support/processes/wallet-rpc.js';
import { median, printTable } from './table.js';
import { memoryMiB, MemoryWatch, pidOf } from './usage.js';

/*
 * Memory of a server that was just started, while it refreshes the bench chain, and after a minute of rest; of Node.js
 * itself, with nothing and with the parts that a server uses (`bare-parts.ts`); and of the reference.
 * usage: memory [ROUNDS, 3]
 */

const ROUNDS = Number(process.argv[2] ?? 3);

/** Pause after the start [s]. */
const SETTLED_SECONDS = 1;
/** Time after which idle threads have ended and their memory is released [s]. */
const REST_SECONDS = 75;

/** Memory that a server alone holds [MiB]. */
interface Sample {
  readonly started: number;
  readonly peak: number;
  readonly rested: number;
}

async function measure(launch: () => Promise<WalletRpc>, seed: string): Promise<Sample> {
  const wallet = await launch();
  try {
    await sleep(1000 * SETTLED_SECONDS);
    const pid = pidOf(wallet);
    const started = memoryMiB(pid);
    const watch = new MemoryWatch(pid);
    const name = { filename: 'merchant', password: '' };
    await wallet.rpc('restore_deterministic_wallet', { ...name, seed, restore_height: 0 });
    await wallet.rpc('refresh');
    const peak = watch.stop();
    await sleep(1000 * REST_SECONDS);
    return { started, peak, rested: memoryMiB(pid) };
  } finally {
    await wallet.stop();
  }
}

/** A script that runs nothing. */
const NOTHING = ['-e', "setInterval(() => 0, 1e6); process.stdout.write('up')"];
const PARTS = [...NODE_FLAGS, fileURLToPath(new URL('./bare-parts.js', import.meta.url))];

/** Measures Node.js itself with a program that prints `up`. */
async function bareNode(args: readonly string[]): Promise<number> {
  const running = start(process.execPath, args, { ...process.env, ...ALLOCATOR });
  try {
    await Promise.race([
      logged(running, 'up'),
      running.exited.then(() => {
        throw new Error(`Node.js ended: ${running.output()}`);
      }),
    ]);
    await sleep(1000 * SETTLED_SECONDS);
    return memoryMiB(pidOf({ process: running }));
  } finally {
    await stop(running, 'SIGKILL');
  }
}

const chain = unpackBenchChain();
const daemon = await startMonerod({ dataDir: chain.dataDir });
try {
  const { seed } = chain.wallet('merchant');
  const ours: Sample[] = [];
  const theirs: Sample[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await measure(() => startWalletRpc({ daemon: daemon.address }), seed));
    theirs.push(await measure(() => startReference({ daemon: daemon.address }), seed));
  }
  const row = (what: string, of: (sample: Sample) => number, bar: string): readonly string[] => [
    what,
    ...[ours, theirs].map((samples) => median(samples.map(of)).toFixed(0)),
    bar,
  ];
  const [bare, parts] = [await bareNode(NOTHING), await bareNode(PARTS)];
  process.stdout.write(`Memory that the process alone holds, MiB, median of ${ROUNDS}\n`);
  printTable(
    ['', 'ours', 'reference', 'bar'],
    [
      ['Node.js that runs nothing', bare.toFixed(0), '', ''],
      ['Node.js with the parts of a server', parts.toFixed(0), '', ''],
      row('just started', ({ started }) => started, '44'),
      row('peak of restore and refresh of the bench chain', ({ peak }) => peak, '76'),
      row('after a minute of rest', ({ rested }) => rested, '50'),
    ],
  );
} finally {
  await daemon.stop();
  chain.remove();
}
