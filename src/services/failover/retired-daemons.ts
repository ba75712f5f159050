import type { Clock } from '../../util/clock.js';

/** Time after which calls to a replaced, healthy daemon are aborted [ms]; longer than the sending of a payment. */
const RETIRE_MS = 60_000;

/** Daemons that were replaced, and whose running calls may still end. */
export class RetiredDaemons {
  readonly #clock: Clock;
  /** Functions that abort the calls of one daemon, each with the function that cancels its timer. */
  readonly #ends = new Map<() => void, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Lets the running calls to a healthy daemon end before its connections are closed. @param end aborts the calls at
   * once.
   */
  add(end: () => void): void {
    const cancel = this.#clock.after(RETIRE_MS, () => {
      this.#ends.delete(end);
      end();
    });
    this.#ends.set(end, cancel);
  }

  /** Aborts all calls. */
  close(): void {
    for (const [end, cancel] of this.#ends) {
      cancel();
      end();
    }
    this.#ends.clear();
  }
}
