import { fileURLToPath } from 'node:url';
import { daemonAt, type Monerod } from './monerod.js';
import { post } from './json-rpc.js';
import { freePort, start, stop, until } from './process.js';

const MAIN = fileURLToPath(new URL('../../src/cli/regtest-main.js', import.meta.url));

/** Our regtest daemon in a process of its own, to be used as the real one is. */
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
