import { monotonicMs } from './monotonic-time.js';

/** Requests that are frequent if they begin within {@link FREQUENT_MS}: a client that only refreshes sends one or two. */
const FREQUENT_REQUESTS = 3;

/** Time in which as many requests begin while they are frequent [ms]. */
const FREQUENT_MS = 500;

/** Shortest sleep of a thread [ms], to which Linux adds 0.05. */
const SLEEP_MS = 0.02;

/** Moments of the last requests from clients, in memory that all threads of the process share. */
export class RequestActivity {
  readonly shared: SharedArrayBuffer;
  /** Starts of the last requests [ms, modulo 2^32], in a ring. */
  readonly #starts: Int32Array;
  /** Index of the oldest start, which the next one replaces. */
  readonly #oldest: Int32Array;
  /** Is always 0: {@link giveWay} waits for a change. */
  readonly #never: Int32Array;
  readonly #clock: () => number;

  /** @param shared memory of the instance of another thread; absent: there was no request yet. @param clock milliseconds. */
  constructor(shared?: SharedArrayBuffer, clock: () => number = monotonicMs) {
    this.#clock = clock;
    this.shared = shared ?? new SharedArrayBuffer(4 * (FREQUENT_REQUESTS + 2));
    this.#starts = new Int32Array(this.shared, 0, FREQUENT_REQUESTS);
    this.#oldest = new Int32Array(this.shared, 4 * FREQUENT_REQUESTS, 1);
    this.#never = new Int32Array(this.shared, 4 * (FREQUENT_REQUESTS + 1), 1);
    if (shared === undefined) this.#starts.fill(this.#clock() - FREQUENT_MS);
  }

  /** Notes the start of a request. Only the main thread does. */
  note(): void {
    const oldest = Atomics.load(this.#oldest, 0);
    Atomics.store(this.#starts, oldest, this.#clock());
    Atomics.store(this.#oldest, 0, (oldest + 1) % FREQUENT_REQUESTS);
  }

  /** True if {@link FREQUENT_REQUESTS} began less than {@link FREQUENT_MS} ago, answered or not. */
  get areFrequent(): boolean {
    const start = Atomics.load(this.#starts, Atomics.load(this.#oldest, 0));
    return ((Math.trunc(this.#clock()) - start) | 0) < FREQUENT_MS;
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
