import { rmSync, writeFileSync } from 'node:fs';
import type { Logger } from 'pino';
import { ConfigError } from './options.js';

/** A stop that takes longer is cut short. */
const STOP_TIMEOUT_MS = 9_000;

/** What a process does from its start to its end. */
export interface Service {
  /** As the log calls it. */
  readonly title: string;
  readonly log: Logger;
  readonly pidFile?: string | undefined;
  /** @param stop ends the process, and says why. */
  start(stop: (reason: string) => void): Promise<{ close(): Promise<void> }>;
}

/** Runs a service until a signal or the service itself ends it. @returns the exit code. @throws ConfigError */
export async function runToTheEnd({ title, log, pidFile, start }: Service): Promise<number> {
  let running: { close(): Promise<void> } | undefined;
  let stopping = false;
  let ended: (code: number) => void = () => undefined;
  const done = new Promise<number>((resolve) => (ended = resolve));
  const stop = (reason: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, `Stopping ${title}`);
    setTimeout(() => ended(1), STOP_TIMEOUT_MS).unref();
    // Nothing was answered yet: there is nothing to finish.
    if (running === undefined) return ended(0);
    running.close().then(
      () => ended(0),
      (error: unknown) => {
        log.error({ err: error }, 'it did not stop cleanly');
        ended(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal));
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a rejection nobody handled'));
  const started = start(stop).then((service) => {
    running = service;
    if (pidFile !== undefined) writePidFile(pidFile);
    return done;
  });
  const code = await Promise.race([started, done]);
  if (pidFile !== undefined) rmSync(pidFile, { force: true });
  log.info(`${title} stopped`);
  return code;
}

function writePidFile(path: string): void {
  try {
    writeFileSync(path, `${process.pid}\n`);
  } catch (cause) {
    throw new ConfigError(`--pidfile: ${path} cannot be written`, { cause });
  }
}

/** Says on standard error why a program ended, and ends it. Only a bug shows its stack, to whoever asks for it. */
export function failWith(program: string, error: unknown): never {
  process.stderr.write(`${program}: ${error instanceof Error ? error.message : String(error)}\n`);
  if (
    !(error instanceof ConfigError) &&
    process.env['WALLET_RPC_DEBUG'] !== undefined &&
    error instanceof Error
  )
    process.stderr.write(`${error.stack ?? ''}\n`);
  process.exit(1);
}
