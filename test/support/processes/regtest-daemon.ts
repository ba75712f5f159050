import { daemonAt, type RunningDaemon } from './monerod.js';
import { untilAnswers } from '../network/json-rpc.js';
import { freePort, isTest, start, startShared, stop } from './process.js';
import { bundled } from './wallet-rpc.js';

const MAIN = bundled('regtest-main');

export interface RegtestDaemonOptions {
  /** Absent: a free one. */
  readonly port?: number;
  /** Whether it has a process of its own, which a test can signal; absent: in tests it shares that of the Jest worker. */
  readonly ownProcess?: boolean;
}

/** Starts our regtest daemon outside of this process, with the interface of the real one. */
export async function startRegtestDaemon(
  args: readonly string[] = [],
  { port: wanted, ownProcess = !isTest }: RegtestDaemonOptions = {},
): Promise<RunningDaemon> {
  const port = wanted ?? (await freePort());
  const difficulty = args.some((arg) => arg.startsWith('--fixed-difficulty='))
    ? []
    : ['--fixed-difficulty=1'];
  const all = ['--regtest', '--offline', ...difficulty, `--rpc-bind-port=${port}`, ...args];
  const running = ownProcess ? start(process.execPath, [MAIN, ...all]) : startShared('regtest', all);
  await untilAnswers(running, 'the regtest daemon', port, { path: '/get_height', body: {} });
  return {
    ...daemonAt(port),
    process: running,
    async stop() {
      await stop(running);
    },
  };
}
