import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { unpackBenchChain } from '../test/support/bench-chain.js';
import { startMonerod } from '../test/support/monerod.js';
import { start, stop, until } from '../test/support/process.js';
import {
  ALLOCATOR,
  NODE_FLAGS,
  startReference,
  startWalletRpc,
  type WalletRpc,
} from '../test/support/wallet-rpc.js';
import { median, printTable } from './table.js';
import { pidOf, usage, type Usage } from './usage.js';

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

/** Resident memory at each moment. */
interface Sample {
  readonly started: Usage;
  readonly refreshed: Usage;
  readonly rested: Usage;
}

async function measure(launch: () => Promise<WalletRpc>, seed: string): Promise<Sample> {
  const wallet = await launch();
  try {
    await sleep(1000 * SETTLED_SECONDS);
    const started = usage(pidOf(wallet));
    const name = { filename: 'merchant', password: '' };
    await wallet.rpc('restore_deterministic_wallet', { ...name, seed, restore_height: 0 });
    await wallet.rpc('refresh');
    const refreshed = usage(pidOf(wallet));
    await sleep(1000 * REST_SECONDS);
    return { started, refreshed, rested: usage(pidOf(wallet)) };
  } finally {
    await wallet.stop();
  }
}

/** A script that runs nothing. */
const NOTHING = ['-e', "setInterval(() => 0, 1e6); process.stdout.write('up')"];
const PARTS = [...NODE_FLAGS, fileURLToPath(new URL('./bare-parts.js', import.meta.url))];

/** Measures Node.js itself with a program that prints `up`. */
async function bareNode(args: readonly string[]): Promise<Usage> {
  const running = start(process.execPath, args, { ...process.env, ...ALLOCATOR });
  try {
    await until('Node.js', () => running.output().includes('up') || undefined);
    await sleep(1000 * SETTLED_SECONDS);
    return usage(pidOf({ process: running }));
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
  const cells = (samples: readonly Sample[], of: (sample: Sample) => Usage, isPeak = false): string[] =>
    [
      median(samples.map((sample) => (isPeak ? of(sample).peakMiB : of(sample).residentMiB))),
      median(samples.map((sample) => of(sample).fileMiB)),
    ].map((mebibytes) => mebibytes.toFixed(0));
  const row = (
    what: string,
    of: (sample: Sample) => Usage,
    bar: string,
    isPeak = false,
  ): readonly string[] => [what, ...cells(ours, of, isPeak), cells(theirs, of, isPeak)[0] ?? '', bar];
  const [bare, parts] = [await bareNode(NOTHING), await bareNode(PARTS)];
  const ofNode = ({ residentMiB, fileMiB }: Usage): readonly string[] => [
    residentMiB.toFixed(0),
    fileMiB.toFixed(0),
    '',
    '',
  ];
  process.stdout.write(`Resident MiB, median of ${ROUNDS}\n`);
  printTable(
    ['', 'ours', 'pages of files', 'reference', 'bar'],
    [
      ['Node.js that runs nothing', ...ofNode(bare)],
      ['Node.js with the parts of a server', ...ofNode(parts)],
      row('just started', ({ started }) => started, '70'),
      row('peak of restore and refresh of the bench chain', ({ refreshed }) => refreshed, '130', true),
      row('after a minute of rest', ({ rested }) => rested, '80'),
    ],
  );
} finally {
  await daemon.stop();
  chain.remove();
}
