import { monotonicMs } from './monotonic-time.js';

/** Time after the start of a request in which the next one is expected [ms]. */
const FREQUENT_MS = 250;

/** Shortest sleep of a thread [ms], to which Linux adds 0.05. */
const SLEEP_MS = 0.02;

/** Moment of the last request from clients, in memory that all threads of the process share. */
export class RequestActivity {
  readonly shared: SharedArrayBuffer;
  /** Start of the last request [ms, modulo 2^32]. */
  readonly #lastStart: Int32Array;
  /** Is always 0: {@link giveWay} waits for a change. */
  readonly #never: Int32Array;
  readonly #clock: () => number;

  /** @param shared memory of the instance of another thread; absent: there was no request yet. @param clock milliseconds. */
  constructor(shared?: SharedArrayBuffer, clock: () => number = monotonicMs) {
    this.#clock = clock;
    this.shared = shared ?? new SharedArrayBuffer(8);
    this.#lastStart = new Int32Array(this.shared, 0, 1);
    this.#never = new Int32Array(this.shared, 4, 1);
    if (shared === undefined) Atomics.store(this.#lastStart, 0, this.#clock() - FREQUENT_MS);
  }

  /** Notes the start of a request. */
  note(): void {
    Atomics.store(this.#lastStart, 0, this.#clock());
  }

  /** True if a request began less than {@link FREQUENT_MS} ago, answered or not. */
  get areFrequent(): boolean {
    const elapsed = (Math.trunc(this.#clock()) - Atomics.load(this.#lastStart, 0)) | 0;
    return elapsed < FREQUENT_MS;
  }

  /**
   * Sleeps for a moment while requests are frequent, so that the thread that answers them gets this one's processor. A
   * thread that wakes up on Linux waits for the end of the running one's slice, at most 4 ms, whatever the priorities.
   * Not for the main thread, which may not sleep.
   */
  giveWay(): void {
    if (this.areFrequent) Atomics.wait(this.#never, 0, 0, SLEEP_MS);
  }
}
