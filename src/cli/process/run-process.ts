import { closeSync, constants, openSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import { fileErrorCode } from '../../util/files.js';
import { printableLines } from '../../util/line-file.js';
import { ConfigError } from '../config/config-values.js';
import { ignoreSignals, RELOAD_SIGNAL, STOP_SIGNALS } from './signals.js';
import { execFile } from 'node:child_process';

/** Longest time for an orderly stop [ms]; then the process exits with code 1. */
export const STOP_TIMEOUT_MS = 9_000;

/** A started service. */
export interface RunningService {
  close(): Promise<void>;
  /**
   * Reads the files of the service again; logs an invalid file, after which nothing is changed. Absent: the service has
   * no files.
   */
  reload?(): void;
}

/** Service that runs as long as its process. */
export interface Service {
  /** Name of the service for the log. */
  readonly title: string;
  readonly log: Logger;
  readonly pidFile?: string | undefined;
  /** Opens the log file again. */
  readonly reopenLog: () => void;
  /** Starts the service. @param stop stops the process, and logs the reason. */
  start(stop: (reason: string) => void): Promise<RunningService>;
}

/** Runs a service until a signal, or the service itself, stops it. @returns exit code. @throws ConfigError */
export async function runProcess({ title, log, reopenLog, pidFile, start }: Service): Promise<number> {
  let running: RunningService | undefined;
  let stopping = false;
  const { promise: done, resolve: ended } = Promise.withResolvers<number>();
  const stop = (reason: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, `Stopping ${title}`);
    setTimeout(() => ended(1), STOP_TIMEOUT_MS).unref();
    // The service has not started yet, so there are no requests to wait for.
    if (running === undefined) return ended(0);
    running.close().then(
      () => ended(0),
      (error: unknown) => {
        log.error({ err: error }, 'the service did not stop cleanly');
        ended(1);
      },
    );
  };
  for (const signal of STOP_SIGNALS) process.on(signal, () => stop(signal));
  process.on(RELOAD_SIGNAL, () => {
    reopenLog();
    log.info(`${RELOAD_SIGNAL}: files are opened and read again`);
    running?.reload?.();
  });
  ignoreSignals((signal) => log.warn({ signal }, 'a signal was ignored'));
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'bug: unhandled promise rejection'));
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
    // Opening a pipe without a reader would wait for a reader.
    const file = openSync(
      path,
      constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK,
    );
    writeFileSync(file, `${process.pid}\n`);
    closeSync(file);
  } catch (cause) {
    throw new ConfigError(`--pidfile: ${path} cannot be written (${fileErrorCode(cause)})`, { cause });
  }
}

/** Writes an error to standard error, and exits with code 1. Prints the stack of a bug if `WALLET_RPC_DEBUG` is set. */
export function failWith(program: string, error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${program}: ${printableLines(reason)}\n`);
  if (
    !(error instanceof ConfigError) &&
    process.env['WALLET_RPC_DEBUG'] !== undefined &&
    error instanceof Error
  )
    process.stderr.write(`${printableLines(error.stack ?? '')}\n`);
  process.exit(1);
}

/** File with the kinds of memory that a core dump of this process includes, as a bit mask in hex. Source: core(5). */
const FILTER = '/proc/self/coredump_filter';

/** Matches the soft limit for the size of core dumps. Source: getrlimit(2), proc(5). */
const LIMIT = /^Max core file size +(\S+)/m;

/**
 * Excludes all memory from core dumps of this process, since the memory contains the keys of open wallets. Node.js
 * cannot lower the size limit of core dumps; `bin/wallet-rpc` does. The mask also has an effect where a program
 * collects dumps independently of the limit. Linux only.
 * @returns false if core dumps are enabled and would contain keys.
 */
export function keepKeysFromCoreDumps(): boolean {
  try {
    writeFileSync(FILTER, '0');
    if (Number.parseInt(readFileSync(FILTER, 'utf8'), 16) === 0) return true;
  } catch {
    // The file does not exist, or /proc is read-only: the size limit decides.
  }
  try {
    return LIMIT.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] === '0';
  } catch {
    // The limit is unknown: the system is not Linux.
    return true;
  }
}

/** States of a service that `systemctl start` and `systemctl status` use. Source: sd_notify(3). */
const ASSIGNMENTS = { ready: 'READY=1', stopping: 'STOPPING=1' } as const;

/** Longest time for a notification [ms]. */
const TIMEOUT_MS = 5_000;

/**
 * Notifies systemd of the state of this process, if a unit with `Type=notify` started it. Runs the program
 * `systemd-notify`, since Node.js cannot send datagrams on Unix sockets: the unit needs `NotifyAccess=all`. Logs a
 * failure.
 */
export function notifyServiceManager(
  state: keyof typeof ASSIGNMENTS,
  log: Pick<Logger, 'warn'>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  if (env['NOTIFY_SOCKET'] === undefined) return Promise.resolve();
  const args = [`--pid=${process.pid}`, ASSIGNMENTS[state]];
  return new Promise((resolve) => {
    execFile('systemd-notify', args, { env, timeout: TIMEOUT_MS }, (error) => {
      if (error !== null)
        log.warn(
          { state, reason: error.message },
          'systemd could not be notified of the state of the server',
        );
      resolve();
    });
  });
}
