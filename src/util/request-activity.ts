import { monotonicMs } from './clock.js';

/**
 * Number of requests within {@link FREQUENT_MS} from which requests count as frequent: a client that only refreshes
 * sends one or two requests.
 */
const FREQUENT_REQUESTS = 3;

/** Period in which requests are counted [ms]. */
const FREQUENT_MS = 500;

/** Time for which a thread sleeps [ms]; Linux adds 0.05 ms. */
const SLEEP_MS = 0.02;

/** Start times of the latest requests of clients, in memory that all threads of the process share. */
export class RequestActivity {
  readonly shared: SharedArrayBuffer;
  /** Start times of the latest requests [ms, modulo 2^32], in a ring buffer. */
  readonly #starts: Int32Array;
  /** Index in the ring buffer at which the next start time is written. */
  readonly #oldest: Int32Array;
  /** Always 0: {@link giveWay} sleeps by waiting for a change that never occurs. */
  readonly #never: Int32Array;
  readonly #clock: () => number;

  /**
   * @param shared memory of another thread's instance; absent: a new instance, without requests.
   * @param clock returns the time [ms].
   */
  constructor(shared?: SharedArrayBuffer, clock: () => number = monotonicMs) {
    this.#clock = clock;
    this.shared = shared ?? new SharedArrayBuffer(4 * (FREQUENT_REQUESTS + 2));
    this.#starts = new Int32Array(this.shared, 0, FREQUENT_REQUESTS);
    this.#oldest = new Int32Array(this.shared, 4 * FREQUENT_REQUESTS, 1);
    this.#never = new Int32Array(this.shared, 4 * (FREQUENT_REQUESTS + 1), 1);
    if (shared === undefined) this.#starts.fill(this.#clock() - FREQUENT_MS);
  }

  /** Records the start of a request; to be called on the main thread only. */
  note(): void {
    const oldest = Atomics.load(this.#oldest, 0);
    Atomics.store(this.#starts, oldest, this.#clock());
    Atomics.store(this.#oldest, 0, (oldest + 1) % FREQUENT_REQUESTS);
  }

  /** True if {@link FREQUENT_REQUESTS} requests, answered or not, started less than {@link FREQUENT_MS} ago. */
  get areFrequent(): boolean {
    const start = Atomics.load(this.#starts, Atomics.load(this.#oldest, 0));
    return ((Math.trunc(this.#clock()) - start) | 0) < FREQUENT_MS;
  }

  /**
   * Sleeps for a moment while requests are frequent, so that the thread that answers them gets the processor of this
   * thread. On Linux a thread that wakes up waits until the time slice of the running thread ends, at most 4 ms,
   * independently of priorities. Must not be called on the main thread, which must not sleep.
   */
  giveWay(): void {
    if (this.areFrequent) Atomics.wait(this.#never, 0, 0, SLEEP_MS);
  }
}
