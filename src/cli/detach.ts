import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { withoutCompileCache } from './process/compile-cache.js';
import { ConfigError } from './config/config-values.js';
import { environmentName } from './config/options.js';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));
const READY = 'ready';

/**
 * Starts the server as a detached child process without a terminal, and exits once the child answers requests.
 * Source: posix_daemonizer.inl `daemonize`, which does not wait.
 * @throws ConfigError with the error output of a child that failed to start.
 */
export async function detach(args: readonly string[]): Promise<never> {
  const child = fork(
    MAIN,
    args.filter((arg) => arg !== '--detach'),
    {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // The variable overrides the flag, also the flag in the config file. The child creates its own compile cache,
      // after it has set flags of V8.
      env: { ...withoutCompileCache(process.env), [environmentName('detach')]: '0' },
    },
  );
  let errorOutput = '';
  child.stderr?.on(
    'data',
    (chunk: Buffer) => (errorOutput = (errorOutput + chunk.toString('utf8')).slice(-4000)),
  );
  const ready = await new Promise<boolean>((resolve) => {
    child.once('message', () => resolve(true));
    child.once('error', () => resolve(false));
    // The event `close` follows the last output on standard error.
    child.once('close', () => resolve(false));
  });
  if (!ready)
    throw new ConfigError(
      errorOutput.replace(/^wallet-rpc: /, '').trim() || '--detach: the server did not start',
    );
  process.stdout.write(`Running in the background, process ${child.pid ?? 0}\n`);
  process.exit(0);
}

/**
 * Notifies the parent process of `--detach`, if there is one, that the server answers requests, and disconnects from
 * the parent.
 */
export function sayReady(): void {
  if (process.send === undefined || process.env[environmentName('detach')] !== '0') return;
  process.send(READY);
  process.disconnect();
}
