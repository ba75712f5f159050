import { systemClock } from '../../util/clock.js';
import type { Logger } from 'pino';

/** Time between two lines about a wallet that has not reached the tip [ms]. */
const PROGRESS_MS = 5000;

/** Largest number of lines within {@link WINDOW_MS}: writing a line takes as long as committing a block. */
const MAX_LINES = 50;

const WINDOW_MS = 1000;

/** Logs the progress of refreshes. If many wallets reach a block at the same time, most of them are only counted. */
export class ProgressLog {
  readonly #log: Logger;
  readonly #tipOnly: boolean;
  /** Time of the last line about each wallet [ms], by name. */
  readonly #logged = new Map<string, number>();
  #lines = 0;
  #counted = 0;
  #isCounting = false;

  /** @param tipOnly true: logs nothing about a wallet below the tip. */
  constructor(log: Logger, { tipOnly = false }: { readonly tipOnly?: boolean } = {}) {
    this.#log = log;
    this.#tipOnly = tipOnly;
  }

  /** Logs that a wallet has reached the daemon's tip, or every {@link PROGRESS_MS} its height below the tip. */
  progress(name: string, height: number, daemonHeight: number): void {
    const now = systemClock.now();
    if (height < daemonHeight && this.#tipOnly) return;
    if (height < daemonHeight && now - (this.#logged.get(name) ?? 0) < PROGRESS_MS) return;
    this.#logged.set(name, now);
    if (!this.#isCounting) setTimeout(() => this.#end(), WINDOW_MS).unref();
    this.#isCounting = true;
    if (this.#lines >= MAX_LINES) {
      this.#counted += 1;
      return;
    }
    this.#lines += 1;
    this.#log.info({ name, height, of: daemonHeight }, 'wallet refreshed');
  }

  /** Forgets the lines about a wallet that was closed. */
  forget(name: string): void {
    this.#logged.delete(name);
  }

  #end(): void {
    if (this.#counted > 0) this.#log.info({ wallets: this.#counted }, 'more wallets refreshed');
    this.#isCounting = false;
    this.#lines = 0;
    this.#counted = 0;
  }
}
