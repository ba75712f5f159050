import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { ConfigError } from '../config/config-values.js';

/** Message from the daemon to its parent process, sent once the daemon listens. */
export interface RegtestGreeting {
  readonly ports: readonly number[];
}

/**
 * Regtest daemon in a child process, so that its verification of proofs does not delay the answers of the wallet
 * server.
 */
export interface RegtestProcess {
  /** Address `host:port` of the daemon. */
  readonly address: string;
  close(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('./regtest-main.js', import.meta.url));

/**
 * Starts a daemon in a child process, which ends with this process at the latest.
 * @throws ConfigError with the error output of the child.
 */
export async function startRegtestProcess(
  { regtest, rpc }: Pick<Config, 'regtest'> & { readonly rpc: Pick<Config['rpc'], 'apiVersion'> },
  log: Logger,
): Promise<RegtestProcess> {
  const args = [
    `--rpc-bind-port=${regtest?.port ?? 0}`,
    ...(regtest?.dataDir === undefined ? [] : [`--data-dir=${regtest.dataDir}`]),
    ...(regtest?.fork === undefined ? [] : [`--fork-height=${regtest.fork.from},${regtest.fork.only}`]),
    // API version 1.3 allows payments with an unlock time, which a node refuses by default.
    ...(rpc.apiVersion === '1.3' ? ['--allow-unlock-time'] : []),
  ];
  const child = fork(MAIN, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let errorOutput = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk.toString('utf8')).slice(-1000);
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const greeting = await Promise.race([
    new Promise<RegtestGreeting>((resolve) => child.once('message', resolve as (message: unknown) => void)),
    ended.then(() => undefined),
  ]);
  const [port] = greeting?.ports ?? [];
  if (port === undefined)
    throw new ConfigError(`--regtest: ${errorOutput.trim() || 'the daemon did not start'}`);
  let closing = false;
  void ended.then(() => {
    if (!closing) log.error('the regtest daemon has exited unexpectedly');
  });
  return {
    address: `127.0.0.1:${port}`,
    async close() {
      closing = true;
      child.kill('SIGTERM');
      await ended;
    },
  };
}
