import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectToDaemonRpc, connectToWalletRpc } from 'monero-ts';
import { createWallet } from '../support/wallets/create-wallet.js';
import { call } from '../support/network/json-rpc.js';
import { freePort, start, stop } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { bundled, MAIN, startWalletRpc } from '../support/processes/wallet-rpc.js';

/*
 * Programs that start a server and parse its address from chunks of standard output.
 */

const REGTEST_DAEMON = bundled('regtest-main');

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'launchers-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Collects chunks of standard output until one contains a line. */
async function chunksUntil(command: readonly string[], line: string): Promise<string[]> {
  const chunks: string[] = [];
  const [program = '', ...args] = command;
  const running = start(program, args);
  running.child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  try {
    await until(line, () => chunks.some((chunk) => chunk.includes(line)));
  } finally {
    await stop(running);
  }
  return chunks;
}

/** Launches at most: a reader that is too busy to read for 100 ms gets several lines in one chunk. */
const LAUNCHES = 5;

/** Place of a line with a bound address in chunks of standard output. */
interface BoundLine {
  readonly endsChunk: boolean;
  /** True if its chunk has no other such line. */
  readonly isAlone: boolean;
  readonly isBeforeReady: boolean;
}

const APART: BoundLine = { endsChunk: true, isAlone: true, isBeforeReady: true };

function boundLine(chunks: readonly string[], line: string, ready: string): BoundLine {
  const at = chunks.findIndex((chunk) => chunk.includes(` ${line}\n`));
  const chunk = chunks[at] ?? '';
  return {
    endsChunk: chunk.endsWith(` ${line}\n`),
    isAlone: chunk.split('Binding on ').length === 2,
    isBeforeReady: at < chunks.findIndex((other) => other.includes(ready)),
  };
}

const isApart = (line: BoundLine): boolean => Object.values(line).every(Boolean);

describe.each([
  [
    'the wallet server',
    (port: number) => [
      process.execPath,
      MAIN,
      `--wallet-dir=${directory}`,
      `--rpc-bind-port=${port}`,
      '--disable-rpc-login',
      '--offline',
      '--rpc-use-ipv6',
      '--no-initial-sync',
    ],
    'Starting wallet RPC server',
    ['127.0.0.1 (IPv4)', '::1 (IPv6)'],
  ],
  [
    'the regtest node',
    (port: number) => [
      process.execPath,
      REGTEST_DAEMON,
      `--rpc-bind-port=${port}`,
      `--rpc-restricted-bind-port=0`,
      '--no-igd',
    ],
    'core RPC server started ok',
    ['127.0.0.1 (IPv4)'],
  ],
])('%s', (_, command, ready, addresses) => {
  it('ends an output chunk with each bound address, before the line that it is ready', async () => {
    let lines: BoundLine[];
    let launches = 0;
    do {
      const port = await freePort();
      const chunks = await chunksUntil(command(port), ready);
      lines = addresses.map((address) => boundLine(chunks, `Binding on ${address}:${port}`, ready));
      launches += 1;
    } while (launches < LAUNCHES && !lines.every(isApart));
    expect(lines).toEqual(addresses.map(() => APART));
  });
});

it('a launcher that waits for the port sees why a server with a wrong password of its wallet has ended', async () => {
  const wallets = join(directory, 'locked');
  mkdirSync(wallets);
  const maker = await startWalletRpc({ walletDir: wallets });
  await createWallet(maker, 'shop', 'right');
  await maker.stop({ keep: true });
  const port = await freePort();
  const file = join(wallets, 'shop');
  const running = start(process.execPath, [
    ...[MAIN, `--wallet-file=${file}`, '--password=wrong', `--rpc-bind-port=${port}`],
    ...['--disable-rpc-login', '--offline'],
  ]);
  const end: { code?: number | null } = {};
  void running.exited.then((code) => (end.code = code));
  const answers: unknown[] = [];
  await until('the end', async () => {
    const answer = await call(port, 'get_version').catch(() => undefined);
    if (answer !== undefined) answers.push(answer);
    return 'code' in end || undefined;
  });
  expect(end.code).toBe(1);
  expect(answers).toEqual([]);
  const lines = running.output().trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('wallet-rpc: '))).toEqual([
    expect.stringContaining(`--wallet-file: ${file} cannot be opened: `),
  ]);
  expect(lines.at(-1)).toContain('password');
});

it('monero-ts connects to a wallet server that it starts', async () => {
  const port = await freePort();
  const wallet = await connectToWalletRpc({
    cmd: [
      process.execPath,
      MAIN,
      '--wallet-dir',
      directory,
      '--rpc-bind-port',
      `${port}`,
      '--rpc-login',
      'shop:secret',
      '--offline',
    ],
  });
  try {
    expect(wallet.getRpcConnection()?.getUri()).toBe(`http://127.0.0.1:${port}`);
    await wallet.createWallet({ path: 'started', password: '', language: 'English' });
    expect(await wallet.getPrimaryAddress()).toMatch(/^4/);
  } finally {
    await wallet.stopProcess();
  }
});

it('monero-ts connects to a regtest node that it starts, which reports an unpruned chain', async () => {
  const port = await freePort();
  const daemon = await connectToDaemonRpc({
    cmd: [process.execPath, REGTEST_DAEMON, '--rpc-bind-port', `${port}`],
    proxyToWorker: false,
  });
  try {
    expect((await daemon.getRpcConnection()).getUri()).toBe(`http://127.0.0.1:${port}`);
    expect(await daemon.getHeight()).toBe(1);
    const { isPruned, pruningSeed } = await daemon.pruneBlockchain(true);
    expect({ isPruned, pruningSeed }).toEqual({ isPruned: false, pruningSeed: 0 });
  } finally {
    await daemon.stopProcess();
  }
});
