import type { Clock } from '../../net/webhooks/clock.js';

/** Time for calls to a healthy daemon to end after it was replaced [ms]; longer than the sending of a payment. */
const RETIRE_MS = 60_000;

/** Daemons that were replaced, whose last calls may still end. */
export class RetiredDaemons {
  readonly #clock: Clock;
  /** Functions that end the calls of one daemon, each with the function that cancels its timer. */
  readonly #ends = new Map<() => void, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Lets the calls to a healthy daemon end before its connections are closed. @param end ends its calls at once. */
  add(end: () => void): void {
    const cancel = this.#clock.after(RETIRE_MS, () => {
      this.#ends.delete(end);
      end();
    });
    this.#ends.set(end, cancel);
  }

  /** Ends all calls. */
  close(): void {
    for (const [end, cancel] of this.#ends) {
      cancel();
      end();
    }
    this.#ends.clear();
  }
}
