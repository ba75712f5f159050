/** First and longest pause after a failure to open a wallet [looks]. */
const FIRST_PAUSE = 8;
const MOST_PAUSE = 64;

/** A wallet that could not be opened. */
interface Failure {
  readonly reason: string;
  /** Number of looks between the failure and the next try. */
  readonly pause: number;
  /** Look of the next try. */
  readonly until: number;
}

/**
 * Wallets whose holder has ended and that this process failed to open. Each further failure doubles the pause before the
 * next try: meanwhile another process can open the wallet.
 */
export class FailedTakeovers {
  readonly #failures = new Map<string, Failure>();

  /** Returns the reason of the last failure; undefined if there was none. */
  reasonOf(name: string): string | undefined {
    return this.#failures.get(name)?.reason;
  }

  /** True if a wallet may be tried again. @param look number of the current look at the cluster. */
  isDue(name: string, look: number): boolean {
    return (this.#failures.get(name)?.until ?? 0) <= look;
  }

  /** Notes a failure. @param look as for {@link isDue}. @returns true unless the failure before had the same reason. */
  add(name: string, reason: string, look: number): boolean {
    const before = this.#failures.get(name);
    const pause = before === undefined ? FIRST_PAUSE : Math.min(MOST_PAUSE, 2 * before.pause);
    this.#failures.set(name, { reason, pause, until: look + pause });
    return before?.reason !== reason;
  }

  /** Forgets a wallet, which was opened. */
  delete(name: string): void {
    this.#failures.delete(name);
  }
}
