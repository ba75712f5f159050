import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PoolWorker } from './thread-client.js';
import type { JobPort } from './thread-jobs.js';

/** Length of the end of the error output that is kept [characters]. */
const KEPT_OUTPUT = 500;

interface ChildWorkerOptions {
  readonly args?: readonly string[];
  /** Environment of the process; a secret in the environment of this process must not be in it. */
  readonly env: NodeJS.ProcessEnv;
  /** Called when the process has ended. @param how exit code or signal, and the end of the error output. */
  readonly onEnd?: (how: string) => void;
}

/** Starts another process as a worker of a pool; it ends with this process at the latest. Never throws. */
export function childWorker(script: URL, options: ChildWorkerOptions): PoolWorker {
  try {
    return workerOf(start(script, options), options);
  } catch (error) {
    options.onEnd?.(error instanceof Error ? error.message : 'it was not started');
    return ENDED;
  }
}

const start = (script: URL, { args = [], env }: ChildWorkerOptions): ChildProcess =>
  fork(fileURLToPath(script), args, {
    env,
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });

const nothing = (): void => undefined;

/** Worker in the place of a process that was not started. */
const ENDED: PoolWorker = {
  postMessage: nothing,
  on: (event, listener) => event === 'exit' && setImmediate(listener, undefined),
  ref: nothing,
  unref: nothing,
  terminate: () => Promise.resolve(),
};

function workerOf(child: ChildProcess, { onEnd }: ChildWorkerOptions): PoolWorker {
  let output = '';
  child.stderr?.on(
    'data',
    (chunk: Buffer) => (output = (output + chunk.toString('utf8')).slice(-KEPT_OUTPUT)),
  );
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      const how = signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`;
      onEnd?.([how, output.trim()].filter((text) => text !== '').join(': '));
      resolve();
    });
    child.on('error', (error) => {
      // A process that was not started has no exit.
      if (child.pid !== undefined) return;
      onEnd?.(error.message);
      resolve();
    });
  });
  return {
    postMessage(message) {
      // Without a callback, a message to a process that has ended is an error event.
      child.send(message as object, nothing);
    },
    on: (event, listener) => (event === 'exit' ? ended.then(listener) : child.on(event, listener)),
    ref() {
      child.ref();
      child.channel?.ref();
    },
    unref() {
      child.unref();
      child.channel?.unref();
      // The error output is a socket, which would keep this process alive.
      (child.stderr as { unref?: () => void } | null)?.unref?.();
    },
    async terminate() {
      // Otherwise this process could end before the promise resolves.
      child.ref();
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Returns the connection of a process, which `childWorker` started, to its parent; the process ends with its parent. */
export function parentProcessPort(): JobPort {
  process.once('disconnect', () => process.exit());
  return {
    on: (event, listener) => process.on(event, listener as (message: unknown) => void),
    postMessage: (answer) => void process.send?.(answer),
  };
}
