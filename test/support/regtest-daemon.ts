import { daemonAt, type Monerod } from './monerod.js';
import { post } from './json-rpc.js';
import { freePort, start, stop, untilReady } from './process.js';
import { bundled } from './wallet-rpc.js';

const MAIN = bundled('regtest-main');

/** Starts our regtest daemon in a child process, with the interface of the real one. */
export async function startRegtestDaemon(args: readonly string[] = []): Promise<Monerod> {
  const port = await freePort();
  const running = start(process.execPath, [
    MAIN,
    '--regtest',
    '--offline',
    '--fixed-difficulty=1',
    `--rpc-bind-port=${port}`,
    ...args,
  ]);
  await untilReady(
    running,
    'the regtest daemon',
    async () => [200, 401].includes((await post(port, '/get_height', {})).status) || undefined,
  );
  return {
    ...daemonAt(port),
    async stop() {
      await stop(running);
    },
  };
}
