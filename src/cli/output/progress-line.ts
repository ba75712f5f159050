import type { StartProgress } from '../../watch/readiness.js';
import { durationText, grouped, percentage } from '../../watch/status/words.js';
import { printable } from '../../util/line-file.js';
import type { SyncProgress, WalletProgress } from '../../watch/sync-progress.js';
import type { StatusLine } from './status-line.js';

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
