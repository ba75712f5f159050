import { daemonAt, type RunningDaemon } from './monerod.js';
import { untilAnswers } from '../network/json-rpc.js';
import { freePort, start, stop } from './process.js';
import { bundled } from './wallet-rpc.js';

const MAIN = bundled('regtest-main');

/**
 * Starts our regtest daemon in a child process, with the interface of the real one.
 * @param wanted port; absent: a free one.
 */
export async function startRegtestDaemon(
  args: readonly string[] = [],
  wanted?: number,
): Promise<RunningDaemon> {
  const port = wanted ?? (await freePort());
  const running = start(process.execPath, [
    MAIN,
    '--regtest',
    '--offline',
    '--fixed-difficulty=1',
    `--rpc-bind-port=${port}`,
    ...args,
  ]);
  await untilAnswers(running, 'the regtest daemon', port, { path: '/get_height', body: {} });
  return {
    ...daemonAt(port),
    process: running,
    async stop() {
      await stop(running);
    },
  };
}
