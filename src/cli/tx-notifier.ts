import { spawn, type ChildProcess } from 'node:child_process';
import type { Logger } from 'pino';

/** Commands that run at once, at most. */
const MOST_AT_ONCE = 4;

export interface TxNotifierParts {
  /** Program and arguments, separated by spaces; `%s` is the transaction's hash. No shell reads it. */
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** Time after which a command is killed, so that those that wait get their turn. */
  readonly limitMs?: number;
}

/** Runs a command for every incoming transaction, in the order in which they were seen, a few at once. */
export class TxNotifier {
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: Logger;
  readonly #limitMs: number;
  readonly #waiting: string[] = [];
  readonly #running = new Set<ChildProcess>();
  #drained: (() => void) | undefined;

  constructor({ command, env, log, limitMs = 300_000 }: TxNotifierParts) {
    const [program = '', ...args] = command.split(/\s+/).filter((part) => part !== '');
    this.#program = program;
    this.#args = args;
    this.#env = env;
    this.#log = log;
    this.#limitMs = limitMs;
  }

  /** @param txid 64 hex digits. */
  notify(txid: string): void {
    if (this.#program === '') return;
    this.#waiting.push(txid);
    this.#pump();
  }

  /**
   * Ends once every command was started, or after a time; the log names the transactions that are left. Commands that
   * run are left to themselves.
   */
  async close(withinMs: number): Promise<void> {
    if (this.#waiting.length > 0) {
      const drained = new Promise<void>((resolve) => (this.#drained = resolve));
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMs)));
      await Promise.race([drained, late]);
      clearTimeout(timer);
    }
    for (const txid of this.#waiting.splice(0)) this.#log.warn({ txid }, '--tx-notify was not run: stopping');
  }

  #pump(): void {
    while (this.#running.size < MOST_AT_ONCE) {
      const txid = this.#waiting.shift();
      if (txid === undefined) break;
      this.#run(txid);
    }
    if (this.#waiting.length === 0) this.#drained?.();
  }

  #run(txid: string): void {
    const child = spawn(
      this.#program,
      this.#args.map((part) => part.replaceAll('%s', txid)),
      { stdio: 'ignore', detached: true, env: this.#env },
    );
    this.#running.add(child);
    const limit = setTimeout(() => {
      this.#log.warn({ txid }, '--tx-notify ran for too long and was killed');
      killGroup(child);
    }, this.#limitMs).unref();
    const ended = (): void => {
      clearTimeout(limit);
      if (this.#running.delete(child)) this.#pump();
    };
    child.on('error', (error) => {
      this.#log.error({ err: error, txid }, '--tx-notify could not be run');
      ended();
    });
    child.on('exit', ended);
    child.unref();
  }
}

/** Kills a detached process with those that it started. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
