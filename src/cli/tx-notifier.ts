import { spawn, type ChildProcess } from 'node:child_process';
import type { Logger } from 'pino';

/** Commands that run at once, at most. */
const MOST_AT_ONCE = 4;

export interface TxNotifierParts {
  /** Program and arguments, separated by spaces; `%s` is the transaction's hash, `%w` the wallet's name. No shell reads it. */
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** Time after which a command is killed, so that those that wait get their turn. */
  readonly limitMs?: number;
}

/** A transaction that a wallet was paid by. */
interface Incoming {
  readonly txid: string;
  readonly wallet: string;
}

/** Runs a command for every incoming transaction, in the order in which they were seen, a few at once. */
export class TxNotifier {
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: Logger;
  readonly #limitMs: number;
  readonly #waiting: Incoming[] = [];
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

  /** @param txid 64 hex digits. @param wallet its name; empty in memory. */
  notify(txid: string, wallet: string): void {
    if (this.#program === '') return;
    this.#waiting.push({ txid, wallet });
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
    for (const { txid, wallet } of this.#waiting.splice(0))
      this.#log.warn({ name: wallet, txid }, '--tx-notify was not run: stopping');
  }

  #pump(): void {
    while (this.#running.size < MOST_AT_ONCE) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#run(next);
    }
    if (this.#waiting.length === 0) this.#drained?.();
  }

  #run({ txid, wallet }: Incoming): void {
    const child = spawn(
      this.#program,
      this.#args.map((part) => part.replace(/%[sw]/g, (name) => (name === '%s' ? txid : wallet))),
      { stdio: 'ignore', detached: true, env: this.#env },
    );
    this.#running.add(child);
    const limit = setTimeout(() => {
      this.#log.warn({ name: wallet, txid }, '--tx-notify ran for too long and was killed');
      killGroup(child);
    }, this.#limitMs).unref();
    const ended = (): void => {
      clearTimeout(limit);
      if (this.#running.delete(child)) this.#pump();
    };
    child.on('error', (error) => {
      this.#log.error({ err: error, name: wallet, txid }, '--tx-notify could not be run');
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
