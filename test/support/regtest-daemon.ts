import { daemonAt, type Monerod } from './monerod.js';
import { post } from './json-rpc.js';
import { freePort, start, stop, until } from './process.js';
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
  await Promise.race([
    until(
      'the regtest daemon',
      async () => [200, 401].includes((await post(port, '/get_height', {})).status) || undefined,
    ),
    running.exited.then((code) =>
      Promise.reject(new Error(`it ended with ${code}: ${running.output().slice(-2000)}`)),
    ),
  ]);
  return {
    ...daemonAt(port),
    async stop() {
      await stop(running);
    },
  };
}
