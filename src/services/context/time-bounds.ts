import type { WalletStore } from '../../store/wallet-store.js';
import { monotonicMs, unixSeconds, type TimeOfDay } from '../../util/clock.js';

/**
 * Largest difference between a time of day and the time of a block if both are right [s]: nodes accept blocks that are
 * dated up to two hours ahead. Source: cryptonote_config.h `CRYPTONOTE_BLOCK_FUTURE_TIME_LIMIT`.
 */
export const BLOCK_TOLERANCE = 7200;

/** Parts of a {@link TimeBounds}. */
export interface TimeSources {
  readonly store: Pick<WalletStore, 'lastBlockTime'>;
  readonly clock: TimeOfDay;
  /** Time since an arbitrary moment, which no step of the clock changes [ms]. */
  readonly monotonic?: () => number;
}

/**
 * Bounds of the present time, for decisions that must not depend on a wrong clock: dates are set by {@link latest}, and
 * ages are judged by {@link earliest}. Both bounds equal the time of day while it agrees with the newest block of the
 * wallet and with the time since the wallet was opened; `earliest` lags by the age of a block after the start. A clock
 * that is wrong, or a daemon that lies about the time, widens the bounds; only a wrong clock and a lying daemon
 * together move them.
 *
 * While no block comes, `earliest` advances with the time since the wallet was opened.
 */
export class TimeBounds {
  readonly #sources: TimeSources;
  /** Returns the time since an arbitrary moment, which no step of the clock changes [ms]. */
  readonly monotonic: () => number;
  /** Time of the newest block when the wallet was opened, or else the time of day [Unix s]. */
  readonly #anchor: number;
  /** Time of day when the wallet was opened [Unix s]. */
  readonly #opened: number;
  readonly #openedAt: number;

  constructor(sources: TimeSources) {
    this.#sources = sources;
    this.monotonic = sources.monotonic ?? monotonicMs;
    this.#openedAt = this.monotonic();
    this.#opened = unixSeconds(sources.clock);
    this.#anchor = sources.store.lastBlockTime() ?? this.#opened;
  }

  /** Returns the earliest possible present time [Unix s]. */
  earliest(): number {
    const limit = Math.max(this.#timeOfDay(), this.#opened + this.#elapsed()) + BLOCK_TOLERANCE;
    return Math.min(this.#shown(), limit);
  }

  /** Returns the latest possible present time [Unix s]. */
  latest(): number {
    return Math.max(this.#shown(), this.#timeOfDay());
  }

  /** Returns true for a date in the future [Unix s], which was set while the clock was wrong or a daemon lied. */
  isAhead(date: number): boolean {
    return date > this.latest() + BLOCK_TOLERANCE;
  }

  /** Time that blocks and the time since the wallet was opened show [Unix s]. */
  #shown(): number {
    return Math.max(this.#sources.store.lastBlockTime() ?? 0, this.#anchor + this.#elapsed());
  }

  #timeOfDay(): number {
    return unixSeconds(this.#sources.clock);
  }

  /** Time since the wallet was opened [s]. */
  #elapsed(): number {
    return Math.floor((this.monotonic() - this.#openedAt) / 1000);
  }
}
