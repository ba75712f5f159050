import { spawn, type ChildProcess } from 'node:child_process';
import type { Logger } from 'pino';

/** Maximum number of concurrent commands. */
const MAX_CONCURRENT = 4;

export interface TxNotifierParts {
  /**
   * Program and arguments, separated by spaces; `%s` is the transaction hash, `%w` the wallet name. Runs without a
   * shell.
   */
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** Time after which a command is killed, so that queued commands can start. */
  readonly limitMs?: number;
}

/** A transaction that a wallet was paid by. */
interface Incoming {
  readonly txid: string;
  readonly wallet: string;
}

/** Runs a command for each incoming transaction, in the order of arrival, a few concurrently. */
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
   * Resolves when every queued command has started, or after `withinMs`; transactions whose command has not started are
   * logged. Running commands are not stopped.
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
      this.#log.warn({ name: wallet, txid }, '--tx-notify was not run: the server is stopping');
  }

  #pump(): void {
    while (this.#running.size < MAX_CONCURRENT) {
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
      this.#log.warn({ name: wallet, txid }, '--tx-notify exceeded its time limit and was killed');
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

/** Kills the process group of a detached process. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
}
