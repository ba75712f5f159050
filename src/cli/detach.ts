import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ConfigError, environmentName } from './options.js';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));
const READY = 'ready';

/**
 * Starts the server once more in a session of its own, without a terminal, and ends this process when that one
 * answers requests. Source: posix_daemonizer.inl `daemonize`, which does not wait for it.
 * @throws ConfigError with the words of a start that failed.
 */
export async function detach(args: readonly string[]): Promise<never> {
  const child = fork(
    MAIN,
    args.filter((arg) => arg !== '--detach'),
    {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // The flag may stand in the config file too.
      env: { ...process.env, [environmentName('detach')]: '0' },
    },
  );
  let complaint = '';
  child.stderr?.on(
    'data',
    (chunk: Buffer) => (complaint = (complaint + chunk.toString('utf8')).slice(-4000)),
  );
  const ready = await new Promise<boolean>((resolve) => {
    child.once('message', () => resolve(true));
    child.once('error', () => resolve(false));
    // Its last words arrive before its streams close.
    child.once('close', () => resolve(false));
  });
  if (!ready)
    throw new ConfigError(
      complaint.replace(/^wallet-rpc: /, '').trim() || '--detach: the server did not start',
    );
  process.stdout.write(`Running in the background, process ${child.pid ?? 0}\n`);
  process.exit(0);
}

/** Tells the process that detached this one, if any, that requests are answered, and lets it go. */
export function sayReady(): void {
  if (process.send === undefined || process.env[environmentName('detach')] !== '0') return;
  process.send(READY);
  process.disconnect();
}
