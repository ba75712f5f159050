import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { EndedAtExit } from './ended-at-exit.js';
import { until } from '../fakes/until.js';
import type { HostedProgram } from '../checked/host-messages.js';
import { startHosted } from './server-host.js';

/** Tests check and shorten more than benchmarks, which run programs as users start them. */
export const isTest = process.env['JEST_WORKER_ID'] !== undefined;

/** Number of ports of a Jest worker. */
const PORTS = 1500;
/** Number of the worker; in a run on a chosen version of Node.js, one that no run beside it has (`.ci/run`). */
const WORKER =
  (Number(process.env['JEST_WORKER_ID'] ?? 0) % 4) + (process.env['NODE_MAJOR'] === undefined ? 0 : 4);
/**
 * First of them: below the ports that Linux gives to outgoing connections, one of which could take a port before its
 * server listens, and apart from those of Jest's other workers.
 */
const FIRST_PORT = 20_000 + PORTS * WORKER;
/** Offset of the next port to try. */
let next = randomInt(PORTS);

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** Finds a free port. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORTS; tried++) {
    const port = FIRST_PORT + (next++ % PORTS);
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}

/** Time after which {@link stop} ends a program by SIGKILL [ms]. */
const STOP_MS = 60_000;

/**
 * Polls until a program is ready: until a value is present. Kills one that is not ready in time.
 * @throws Error with the last output of a program that ends before, and as {@link until} does.
 */
export async function untilReady<T>(
  program: RunningProcess,
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  timeoutMs?: number,
): Promise<void> {
  const end: { error?: unknown } = {};
  const ended = program.exited.then(
    () => (end.error = endOf(program, what)),
    (error: unknown) => (end.error = error),
  );
  try {
    // A program that ends may leave a question without an answer.
    await until(what, async () => end.error ?? (await Promise.race([ended, ask()])), timeoutMs);
  } catch (error) {
    if (program.end === undefined) program.child.kill('SIGKILL');
    else program.end();
    throw error;
  }
  if (end.error !== undefined) throw end.error as Error;
}

/** Error for a program that ended by itself, with its last lines. */
export function endOf(program: RunningProcess, what: string): Error {
  const code = program.end === undefined ? (program.child.signalCode ?? program.child.exitCode) : 1;
  return new Error(`${what} ended with ${code}: ${program.output().slice(-2000)}`);
}

const running = new EndedAtExit<ChildProcess>((child) => child.kill('SIGKILL'));

export interface RunningProcess {
  /** Throws for a program that shares its process with other ones. */
  readonly child: ChildProcess;
  /** Ends a program that shares its process, as SIGTERM ends a process; absent: it has a process of its own. */
  end?(): void;
  /** Standard output and error so far. */
  output(): string;
  /** Settles when the program has ended. @returns the exit code, null after a signal. */
  exited: Promise<number | null>;
}

/**
 * Starts a program that ends with this process at the latest.
 * @param user another user as which it runs. @throws Error with an install hint when it is missing.
 */
export function start(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  user: { readonly uid?: number; readonly gid?: number } = {},
): RunningProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env, ...user });
  running.add(child);
  let text = '';
  const collect = (chunk: Buffer): void => {
    text = (text + chunk.toString('utf8')).slice(-200_000);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('exit', (code) => {
      running.delete(child);
      resolve(code);
    });
    child.once('error', (error) => {
      running.delete(child);
      reject(
        (error as NodeJS.ErrnoException).code === 'ENOENT'
          ? new Error(`${command} is not installed: sudo apt-get install monero`)
          : error,
      );
    });
  });
  exited.catch(() => undefined);
  return { child, output: () => text, exited };
}

/** Starts one of our servers in the process that this Jest worker has for them. */
export function startShared(program: HostedProgram, args: readonly string[]): RunningProcess {
  const { output, exited, end } = startHosted(program, args);
  return {
    ...{ output, exited, end },
    get child(): ChildProcess {
      throw new Error('this server shares its process: start it with ownProcess');
    },
  };
}

/** Stops a program, by SIGKILL if it takes too long. */
export async function stop(
  program: RunningProcess,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<number | null> {
  const { exited } = program;
  if (program.end !== undefined) {
    if (signal !== 'SIGTERM') throw new Error(`${signal} needs a server that was started with ownProcess`);
    program.end();
    return exited;
  }
  const { child } = program;
  child.kill(signal);
  // Timer: ends a program that hangs, which fails its test.
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  try {
    return await exited;
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a line of a program's output. @returns what the pattern matched. */
export const logged = ({ output }: RunningProcess, line: string | RegExp): Promise<RegExpMatchArray> =>
  until(`the line ${String(line)}`, () => {
    const text = output();
    if (typeof line !== 'string') return text.match(line) ?? undefined;
    return text.includes(line) ? [line] : undefined;
  });
