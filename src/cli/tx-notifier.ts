import { spawn, type ChildProcess } from 'node:child_process';
import type { Logger } from 'pino';
import type { NoticeRunner, NoticeSource } from '../services/events/tx-notices.js';
import { waitAtMost } from '../util/concurrency.js';

/** Largest number of commands that run at the same time. */
const MAX_CONCURRENT = 4;

export interface TxNotifierParts {
  /**
   * Program with its arguments, separated by spaces; `%s` stands for the transaction hash, `%w` for the wallet name. If
   * an argument begins with the name, and the name begins with `-`, `./` precedes it: clients choose names, and the
   * program must not take a name for an option. Runs without a shell.
   */
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** True: also runs commands for the history; see {@link NoticeRunner}. */
  readonly history?: boolean;
  /** Time after which a command is killed [ms], so that waiting commands can start. */
  readonly limitMs?: number;
}

/** Runs a command for each incoming transaction of the open wallets, a few at the same time; the wallets take turns. */
export class TxNotifier implements NoticeRunner {
  readonly history: boolean;
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: Logger;
  readonly #limitMs: number;
  /** Wallets that may have transactions without a command, in the order of their turns. */
  readonly #ready = new Set<NoticeSource>();
  readonly #running = new Set<ChildProcess>();
  #isScheduled = false;
  #isClosed = false;
  #drained: (() => void) | undefined;

  constructor({ command, env, log, history = false, limitMs = 300_000 }: TxNotifierParts) {
    this.history = history;
    const [program = '', ...args] = command.split(/\s+/).filter((part) => part !== '');
    this.#program = program;
    this.#args = args;
    this.#env = env;
    this.#log = log;
    this.#limitMs = limitMs;
  }

  wake(source: NoticeSource): void {
    if (this.#program === '' || this.#isClosed) return;
    this.#ready.add(source);
    this.#schedule();
  }

  remove(source: NoticeSource): void {
    this.#ready.delete(source);
  }

  /**
   * Resolves when every waiting command has started, or after `withinMs` [ms]. Running commands are not stopped. A
   * command that has not started is started when its wallet is opened again.
   */
  async close(withinMs: number): Promise<void> {
    if (this.#ready.size > 0)
      await waitAtMost(new Promise<void>((resolve) => (this.#drained = resolve)), withinMs);
    this.#isClosed = true;
    for (const { wallet } of this.#ready)
      this.#log.info({ name: wallet }, '--tx-notify continues when the wallet is opened again');
    this.#ready.clear();
  }

  /** Starts commands in the next turn of the event loop. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#running.size < MAX_CONCURRENT) {
      const [source] = this.#ready;
      if (source === undefined) break;
      this.#ready.delete(source);
      if (source.startNext((txid) => this.#start(txid, source.wallet))) this.#ready.add(source);
    }
    if (this.#ready.size === 0) this.#drained?.();
  }

  /**
   * Starts the command for a transaction. @param txid 64 hex digits. @returns false if the program cannot be started.
   */
  #start(txid: string, wallet: string): boolean {
    const failed = (error: unknown): void =>
      this.#log.error({ err: error, name: wallet, txid }, '--tx-notify could not be run');
    const child = this.#spawn(txid, wallet, failed);
    if (child === undefined) return false;
    this.#running.add(child);
    const limit = setTimeout(() => {
      this.#log.warn({ name: wallet, txid }, '--tx-notify exceeded its time limit and was killed');
      killGroup(child);
    }, this.#limitMs).unref();
    const ended = (): void => {
      clearTimeout(limit);
      if (this.#running.delete(child)) this.#schedule();
    };
    child.on('error', (error) => {
      failed(error);
      ended();
    });
    child.on('exit', ended);
    child.unref();
    return child.pid !== undefined;
  }

  #spawn(txid: string, wallet: string, onError: (error: unknown) => void): ChildProcess | undefined {
    try {
      return spawn(
        this.#program,
        this.#args.map((part) => argumentOf(part, txid, wallet)),
        { stdio: 'ignore', detached: true, env: this.#env },
      );
    } catch (error) {
      onError(error);
      return undefined;
    }
  }
}

/** Puts a transaction and a wallet into an argument: see {@link TxNotifierParts.command}. */
function argumentOf(part: string, txid: string, wallet: string): string {
  const argument = part.replace(/%[sw]/g, (name) => (name === '%s' ? txid : wallet));
  return part.startsWith('%w') && argument.startsWith('-') ? `./${argument}` : argument;
}

/** Kills a detached process with its process group. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has exited already.
  }
}
