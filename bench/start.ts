import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, start, stop } from '../test/support/process.js';
import { HttpCaller } from './http-caller.js';
import { median, printTable } from './table.js';
import { pidOf, usage } from './usage.js';

/*
 * Start of a server by the command of its users, until its log line `Starting wallet RPC server`, and the first answer
 * to a new connection after it; ours and the reference's alternately.
 * usage: start [starts]
 */

const STARTS = Number(process.argv[2] ?? 11);
const WALLET_RPC = fileURLToPath(new URL('../../bin/wallet-rpc', import.meta.url));
const READY = 'Starting wallet RPC server';
const LOGIN = { user: 'bench', password: 'bench' };

/** One way to start a server. */
interface Way {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

const DIGEST = `--rpc-login=${LOGIN.user}:${LOGIN.password}`;
const OPEN = '--disable-rpc-login';
// Otherwise the reference generates a certificate at the start, which takes seconds.
const PLAIN = [
  '--log-level=0',
  '--no-dns',
  '--daemon-ssl=disabled',
  '--rpc-ssl=disabled',
  '--log-file=/dev/null',
];

const WAYS = {
  ours: { command: WALLET_RPC, args: [OPEN] },
  oursWithDigest: { command: WALLET_RPC, args: [DIGEST] },
  oursFirst: { command: WALLET_RPC, args: [OPEN], env: { NODE_DISABLE_COMPILE_CACHE: '1' } },
  reference: { command: 'monero-wallet-rpc', args: [...PLAIN, OPEN] },
  referenceWithDigest: { command: 'monero-wallet-rpc', args: [...PLAIN, DIGEST] },
} satisfies Record<string, Way>;

interface Sample {
  /** From the command to the line [ms]. */
  readonly line: number;
  /** From the line to the first answer [ms]. */
  readonly answer: number;
  /** User and system time up to the line [ms]. */
  readonly cpu: number;
  /** Memory at the line. */
  readonly residentMiB: number;
}

async function measure({ command, args, env }: Way): Promise<Sample> {
  const directory = mkdtempSync(join(tmpdir(), 'start-'));
  const port = await freePort();
  const address = [`--wallet-dir=${directory}`, `--rpc-bind-port=${port}`, '--daemon-address=127.0.0.1:1'];
  const began = performance.now();
  const running = start(command, [...address, ...args], { ...process.env, ...env });
  try {
    await new Promise<void>((resolve, reject) => {
      running.child.stdout?.on('data', () => {
        if (running.output().includes(READY)) resolve();
      });
      void running.exited.then(() => reject(new Error(`${command} ended: ${running.output()}`)));
    });
    const line = performance.now() - began;
    const { cpuSeconds, residentMiB } = usage(pidOf({ process: running }));
    const caller = new HttpCaller(port, LOGIN);
    const answer = await caller.time('get_version');
    caller.close();
    return { line, answer, cpu: 1000 * cpuSeconds, residentMiB };
  } finally {
    await stop(running);
    rmSync(directory, { recursive: true, force: true });
  }
}

const samples = new Map<Way, Sample[]>(Object.values(WAYS).map((way) => [way, []]));
// The first start of each is not measured: it may compile, and reads files from the disk.
for (let round = 0; round <= STARTS; round++)
  for (const [way, of] of samples) {
    const sample = await measure(way);
    if (round > 0) of.push(sample);
  }

type Row = readonly [what: string, of: keyof Sample, unit: string, ours: Way, reference: Way, bar?: string];
const { ours, oursWithDigest, oursFirst, reference, referenceWithDigest } = WAYS;
const ROWS: readonly Row[] = [
  ['start to the line', 'line', 'ms', ours, reference, '250 ms'],
  ['start to the line, digest login', 'line', 'ms', oursWithDigest, referenceWithDigest, '250 ms'],
  ['start to the line without stored code', 'line', 'ms', oursFirst, reference],
  ['CPU time up to the line', 'cpu', 'ms', ours, reference],
  ['CPU time without stored code', 'cpu', 'ms', oursFirst, reference],
  ['memory at the line', 'residentMiB', 'MiB', ours, reference],
  ['first answer', 'answer', 'ms', ours, reference, '20 ms'],
  ['first answer, digest login', 'answer', 'ms', oursWithDigest, referenceWithDigest, '20 ms'],
];
printTable(
  ['measurement', 'ours', 'reference', 'ratio', 'bar'],
  ROWS.map(([what, of, unit, mine, theirs, bar = '']) => {
    const [a, b] = [mine, theirs].map((way) => median((samples.get(way) ?? []).map((one) => one[of])));
    return [
      what,
      `${a?.toFixed(0)} ${unit}`,
      `${b?.toFixed(0)} ${unit}`,
      ((a ?? 0) / (b ?? 0)).toFixed(2),
      bar,
    ];
  }),
);
