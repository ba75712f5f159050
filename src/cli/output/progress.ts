import type { StartProgress } from '../../watch/readiness.js';
import { durationText, grouped, percentage } from '../../watch/status/words.js';
import { printable } from '../../util/line-file.js';
import type { SyncProgress, WalletProgress } from '../../watch/sync-progress.js';
import { systemClock } from '../../util/clock.js';
import type { Logger } from 'pino';
import type { StatusLine } from './log.js';

/** Interval between changes of the line [ms]. */
const INTERVAL_MS = 500;

/** Writes the progress of a refresh: height, percentage, rate and remaining time. */
export function progressText({ name, height, daemonHeight, rate, secondsLeft }: WalletProgress): string {
  return [
    `${printable(name === '' ? 'wallet' : name)}: ${grouped(height)} of ${grouped(daemonHeight)} blocks`,
    percentage(height / daemonHeight),
    ...(rate === undefined ? [] : [`${grouped(Math.round(rate))} blocks/s`]),
    ...(secondsLeft === undefined ? [] : [`${durationText(secondsLeft)} left`]),
  ].join(', ');
}

interface Parts {
  readonly line: StatusLine;
  readonly sync: SyncProgress;
  /** Returns the progress of opening the wallets of the start. */
  readonly start: () => StartProgress;
}

/** Shows the opening of wallets, and long refreshes, on the last line of a terminal. */
export class ProgressLine {
  readonly #parts: Parts;
  readonly #timer: NodeJS.Timeout;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#update(), INTERVAL_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#parts.line.show('');
  }

  #update(): void {
    const { line, sync, start } = this.#parts;
    const { waiting } = start();
    const behind = sync.behind();
    const [last] = behind;
    line.show(
      [
        ...(waiting > 0 ? [`opening wallets: ${grouped(waiting)} to go`] : []),
        ...(behind.length > 1 ? [`${grouped(behind.length)} wallets refresh`] : []),
        ...(last === undefined ? [] : [progressText(last)]),
      ].join('; '),
    );
  }
}

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
