import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { accountKeysOf, spendSecretFromSeed } from '../src/monero/cryptonote/account-keys.js';
import { formatAddress } from '../src/monero/cryptonote/address.js';
import { freePort, start, stop, type RunningProcess } from '../test/support/processes/process.js';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import {
  startReference,
  startWalletRpc,
  type WalletRpc,
  type WalletRpcOptions,
} from '../test/support/processes/wallet-rpc.js';
import { HttpCaller } from './http-caller.js';
import { median, printTable } from './table.js';
import { countedMiB, cpuSeconds, pidOf } from './usage.js';

/*
 * Start of a server by the command of its users: until its log line `Starting wallet RPC server`, until the first answer
 * to a new connection, and until the first wallet is opened and refreshed; ours and the reference's alternately.
 * usage: start [STARTS, 11] [--only-ours]
 */

const [starts = '11', onlyOurs] = process.argv.slice(2);
const STARTS = Number(starts);
const WALLET_RPC = fileURLToPath(new URL('../../bin/wallet-rpc', import.meta.url));
const READY = 'Starting wallet RPC server';
const LOGIN = { user: 'bench', password: 'bench' };
const WALLET = { filename: 'first', password: '' };

/** Address that receives the rewards. */
const MINER = formatAddress({
  network: 'mainnet',
  kind: 'standard',
  ...accountKeysOf(spendSecretFromSeed(new Uint8Array(32).fill(7))),
});

/** Blocks of the chain that the wallet knows, and those that came since. */
const KNOWN_BLOCKS = 90;
const NEW_BLOCKS = 10;

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

const OURS = {
  ours: { command: WALLET_RPC, args: [OPEN] },
  oursWithDigest: { command: WALLET_RPC, args: [DIGEST] },
  oursFirst: { command: WALLET_RPC, args: [OPEN], env: { NODE_DISABLE_COMPILE_CACHE: '1' } },
} satisfies Record<string, Way>;
const THEIRS = {
  reference: { command: 'monero-wallet-rpc', args: [...PLAIN, OPEN] },
  referenceWithDigest: { command: 'monero-wallet-rpc', args: [...PLAIN, DIGEST] },
} satisfies Record<string, Way>;

interface Sample {
  /** From the command to the line [ms]. */
  readonly line: number;
  /** From the line to the first answer [ms]. */
  readonly answer: number;
  /** From the command to the first answer [ms]. */
  readonly answered: number;
  /** From the command to the end of the first refresh [ms]. */
  readonly refreshed: number;
  /** User and system time up to the line [ms]. */
  readonly cpu: number;
  /** User and system time up to the end of the first refresh [ms]. */
  readonly refreshedCpu: number;
  /** Memory at the line. */
  readonly memory: number;
}

/** Waits for the line. @throws Error if the program ends before. */
const untilReady = (running: RunningProcess, command: string): Promise<void> =>
  new Promise((resolve, reject) => {
    running.child.stdout?.on('data', () => {
      if (running.output().includes(READY)) resolve();
    });
    void running.exited.then(() => reject(new Error(`${command} ended: ${running.output()}`)));
  });

async function measure({ command, args, env }: Way, daemon: string, walletDir: string): Promise<Sample> {
  const port = await freePort();
  const address = [`--wallet-dir=${walletDir}`, `--rpc-bind-port=${port}`, `--daemon-address=${daemon}`];
  const began = performance.now();
  const running = start(command, [...address, ...args], { ...process.env, ...env });
  try {
    await untilReady(running, command);
    const line = performance.now() - began;
    const pid = pidOf({ process: running });
    const cpu = 1000 * cpuSeconds(pid);
    const memory = countedMiB(pid);
    const caller = new HttpCaller(port, LOGIN);
    await caller.call('get_version');
    const answered = performance.now() - began;
    await caller.call('open_wallet', WALLET);
    await caller.call('refresh');
    const refreshed = performance.now() - began;
    caller.close();
    return {
      ...{ line, cpu, memory, answered, refreshed },
      answer: answered - line,
      refreshedCpu: 1000 * cpuSeconds(pid),
    };
  } finally {
    await stop(running);
  }
}

/** Makes a wallet that does not know the last blocks of the chain. @returns the directory. */
async function makeWallet(
  launch: (options: WalletRpcOptions) => Promise<WalletRpc>,
  daemon: string,
): Promise<string> {
  const walletDir = mkdtempSync(join(tmpdir(), 'start-'));
  const server = await launch({ daemon, walletDir });
  await server.rpc('create_wallet', { ...WALLET, language: 'English' });
  await server.rpc('refresh');
  await server.rpc('close_wallet');
  await server.stop({ keep: true });
  return walletDir;
}

const daemon = await startRegtestDaemon();
await daemon.generate(MINER, KNOWN_BLOCKS);
const directories = {
  ours: await makeWallet(startWalletRpc, daemon.address),
  reference: await makeWallet(startReference, daemon.address),
};
await daemon.generate(MINER, NEW_BLOCKS);

const ways: readonly [Way, directory: string][] = [
  ...Object.values(OURS).map((way): [Way, string] => [way, directories.ours]),
  ...(onlyOurs === undefined
    ? Object.values(THEIRS).map((way): [Way, string] => [way, directories.reference])
    : []),
];
const samples = new Map<Way, Sample[]>(ways.map(([way]) => [way, []]));
try {
  // The first start of each is not measured: it may compile, and reads files from the disk.
  for (let round = 0; round <= STARTS; round++)
    for (const [way, directory] of ways) {
      const copy = mkdtempSync(join(tmpdir(), 'start-'));
      try {
        cpSync(directory, copy, { recursive: true });
        const sample = await measure(way, daemon.address, copy);
        if (round > 0) samples.get(way)?.push(sample);
      } finally {
        rmSync(copy, { recursive: true, force: true });
      }
    }
} finally {
  await daemon.stop();
  for (const directory of Object.values(directories)) rmSync(directory, { recursive: true, force: true });
}

type Row = readonly [what: string, of: keyof Sample, unit: string, ours: Way, reference: Way, bar?: string];
const { ours, oursWithDigest, oursFirst } = OURS;
const { reference, referenceWithDigest } = THEIRS;
const ROWS: readonly Row[] = [
  ['start to the line', 'line', 'ms', ours, reference, '250 ms'],
  ['start to the line, digest login', 'line', 'ms', oursWithDigest, referenceWithDigest, '250 ms'],
  ['start to the line without stored code', 'line', 'ms', oursFirst, reference],
  ['CPU time up to the line', 'cpu', 'ms', ours, reference],
  ['CPU time without stored code', 'cpu', 'ms', oursFirst, reference],
  ['memory at the line', 'memory', 'MiB', ours, reference],
  ['line to the first answer', 'answer', 'ms', ours, reference, '20 ms'],
  ['line to the first answer, digest login', 'answer', 'ms', oursWithDigest, referenceWithDigest, '20 ms'],
  ['start to the first answer', 'answered', 'ms', ours, reference],
  ['start to the first refreshed wallet', 'refreshed', 'ms', ours, reference],
  ['CPU time up to it', 'refreshedCpu', 'ms', ours, reference],
];
const medianOf = (way: Way, of: keyof Sample): number =>
  median((samples.get(way) ?? []).map((one) => one[of]));
printTable(
  ['measurement', 'ours', 'reference', 'ratio', 'bar'],
  ROWS.map(([what, of, unit, mine, theirs, bar = '']) => {
    const [a, b] = [medianOf(mine, of), medianOf(theirs, of)];
    return [
      what,
      `${a.toFixed(0)} ${unit}`,
      ...(Number.isNaN(b) ? ['', ''] : [`${b.toFixed(0)} ${unit}`, (a / b).toFixed(2)]),
      bar,
    ];
  }),
);
