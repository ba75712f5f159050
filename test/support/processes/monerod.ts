import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, post, result, untilAnswers, type Loose, type Reply } from '../network/json-rpc.js';
import { endOf, freePort, isTest, start, stop, type RunningProcess } from './process.js';
import { until } from '../fakes/until.js';
import { referenceEnv } from './reference-preload.js';

/** The real daemon on a private chain. */
export interface Monerod {
  readonly port: number;
  /** `host:port` */
  readonly address: string;
  rpc(method: string, params?: unknown): Promise<Loose>;
  call(method: string, params?: unknown): Promise<Reply>;
  /** Calls a plain path. */
  plain(path: string, body?: unknown): Promise<Loose>;
  /** Mines to an address. */
  generate(address: string, blocks: number): Promise<void>;
  popBlocks(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** A daemon that tests have started. */
export interface RunningDaemon extends Monerod {
  readonly process: RunningProcess;
}

export interface MonerodOptions {
  /** Data directory, whose chain is used and kept; absent: a temporary one. */
  readonly dataDir?: string;
  readonly port?: number;
  /** Port of ZeroMQ requests; absent: a free port. */
  readonly zmqPort?: number;
  /** Whether it accepts TLS; absent: only in benchmarks. */
  readonly tls?: boolean;
  readonly args?: readonly string[];
  /** Difficulty of every block, which has real work only if nothing is shortened; absent: 1. */
  readonly difficulty?: number;
  /** Whether it leaves out proof of work and other needless waits; absent: in tests. */
  readonly isShortened?: boolean;
}

const hasEnded = ({ child }: RunningProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/**
 * Debian's 0.18.0.0 may close a socket during a TLS operation, and ends with SIGSEGV in about one of a hundred refreshes
 * of the bench chain. Later releases can end a connection between such operations. Benchmarks keep TLS, as users do.
 * Source: abstract_tcp_server2.inl `terminate_async`.
 */
const WITHOUT_TLS = ['--rpc-ssl=disabled'];

export async function startMonerod({
  dataDir,
  port: wanted,
  zmqPort,
  tls = !isTest,
  args = [],
  difficulty = 1,
  isShortened = isTest,
}: MonerodOptions = {}): Promise<RunningDaemon> {
  const directory = dataDir ?? mkdtempSync(join(tmpdir(), 'monerod-'));
  const port = wanted ?? (await freePort());
  const flags = [
    '--regtest',
    '--offline',
    `--fixed-difficulty=${difficulty}`,
    `--data-dir=${directory}`,
    `--rpc-bind-port=${port}`,
    `--p2p-bind-port=${await freePort()}`,
    `--zmq-rpc-bind-port=${zmqPort ?? (await freePort())}`,
    '--non-interactive',
    '--log-level=0',
    ...(tls ? [] : WITHOUT_TLS),
    ...(dataDir === undefined ? [] : ['--keep-fakechain']),
    ...args,
  ];
  const running: RunningProcess = start('monerod', flags, referenceEnv({}, isShortened));
  await untilAnswers(running, 'monerod', port, { path: '/get_height', body: {} });
  return {
    ...daemonAt(port),
    process: running,
    async stop() {
      if (hasEnded(running)) throw endOf(running, 'monerod');
      // A chain that is removed need not be written: an orderly stop takes a second.
      await stop(running, dataDir === undefined ? 'SIGKILL' : 'SIGTERM');
      if (dataDir === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Client of a running daemon. */
export function daemonAt(port: number): Omit<Monerod, 'stop'> {
  const rpc = (method: string, params?: unknown): Promise<Loose> => result(port, method, params);
  return {
    port,
    address: `127.0.0.1:${port}`,
    rpc,
    call: (method, params) => call(port, method, params),
    async plain(path, body = {}) {
      return JSON.parse((await post(port, path, body)).text) as Loose;
    },
    async generate(address, blocks) {
      // The daemon includes a transaction in blocks only once it is marked as relayed, shortly after it was accepted.
      await until('the pool to be relayed', async () => {
        const { transactions = [] } = JSON.parse(
          (await post(port, '/get_transaction_pool', {})).text,
        ) as Loose;
        return (transactions as Loose[]).every(({ relayed }) => relayed) || undefined;
      });
      await rpc('generateblocks', { amount_of_blocks: blocks, wallet_address: address });
    },
    async popBlocks(count) {
      await post(port, '/pop_blocks', { nblocks: count });
    },
  };
}
