import type { Logger } from 'pino';
import { childWorker } from '../../util/child-worker.js';
import { backOff, monotonicMs, type RetryTimes } from '../../util/clock.js';
import { ThreadClient, type PoolWorker } from '../../util/thread-client.js';
import type { HashedWork, LoadedRandomX, WorkInput, WorkJobs } from './work-process.js';

/**
 * Error for work that cannot be checked now: the process does not run, or has too much to do. No statement about the
 * work. The text gives the reason, and says which package to install if one is missing.
 */
export class WorkUnavailable extends Error {
  override readonly name = 'WorkUnavailable';
  /** Time after which a further attempt can succeed [ms]; absent after the end of the server. */
  readonly retryMs: number | undefined;

  constructor(reason: string, retryMs?: number) {
    super(reason);
    this.retryMs = retryMs;
  }
}

/** State of the process that checks work. */
export interface WorkState {
  /** `failed`: the latest attempt has failed; `problem` has the reason. */
  readonly state: 'stopped' | 'starting' | 'ready' | 'failed';
  readonly problem: string | undefined;
  /** True if the library compiles programs; absent until the process is ready. */
  readonly isCompiled: boolean | undefined;
  /** Resident memory of the process [bytes]; absent unless it is ready. */
  readonly memory: number | undefined;
  /** Mean time of the latest 16 hashes [ms]; absent before the first one. */
  readonly hashMs: number | undefined;
  /** Time in which the latest new seed was prepared [ms]; absent before the first one. */
  readonly seedMs: number | undefined;
  /** Number of checks, of all processes. */
  readonly checked: number;
  /** Number of checks of which the work was not that of the difficulty. */
  readonly unmet: number;
  /** Number of checks that wait or run. */
  readonly pending: number;
  /** Number of processes that have ended before the client was closed. */
  readonly ended: number;
}

export interface WorkClientOptions {
  /** Path of the RandomX library; absent: the library that the system finds. */
  readonly library?: string;
  /** Priority of the process, from -20 to 19. */
  readonly priority?: number;
  readonly log?: Logger;
  /** Largest number of checks that wait or run. */
  readonly most?: number;
  /** Longest time without an answer while a check runs; then the process is ended [ms]. */
  readonly limitMs?: number;
  readonly retryMs?: RetryTimes;
  /** Returns the monotonic time [ms]. */
  readonly now?: () => number;
  /** Starts the process; absent: as a child of this process. */
  readonly spawn?: (onEnd: (how: string) => void) => PoolWorker;
}

const MOST_PENDING = 1024;
/**
 * A lower priority than that of the server, whose requests come first. With a much lower one, a hash would take seconds
 * where other programs use all processors.
 */
const PRIORITY = 5;
/** A check takes 60 ms, and 1 s with a new seed: 20 s were seen on a machine with three times as much to do as it can. */
const LIMIT_MS = 300_000;
const RETRY_MS: RetryTimes = { first: 1_000, last: 60_000 };
/** The process waits for a block for two minutes: it is kept, with its seeds. */
const IDLE_SECONDS = 86_400;
const MEAN_OF = 16;

/** Variables of the environment by which the system finds libraries. The process gets no other variable. */
const VARIABLES = ['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'DYLD_FALLBACK_LIBRARY_PATH'];

const childOf =
  ({ library, priority = PRIORITY }: WorkClientOptions) =>
  (onEnd: (how: string) => void): PoolWorker =>
    childWorker(new URL('./work-process.js', import.meta.url), {
      args: [String(priority), ...(library === undefined ? [] : [library])],
      env: Object.fromEntries(VARIABLES.flatMap((name) => [[name, process.env[name]]])),
      onEnd,
    });

/**
 * Checks proof of work in a process of its own, which starts with the first check. A process that has ended starts again
 * with the first check after a pause, which doubles with each failure. Calls fail with {@link WorkUnavailable} only, and
 * the process keeps no event loop alive.
 */
export class WorkClient {
  readonly #options: WorkClientOptions;
  readonly #now: () => number;
  readonly #client: ThreadClient<WorkJobs, string>;
  #worker: PoolWorker | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #loaded: LoadedRandomX | undefined;
  #problem: string | undefined;
  #failures = 0;
  #retryAt = -Infinity;
  #memory = 0;
  readonly #latestMs: number[] = [];
  #seedMs: number | undefined;
  #checked = 0;
  #unmet = 0;
  #pending = 0;
  #ended = 0;
  #isClosed = false;

  constructor(options: WorkClientOptions = {}) {
    this.#options = options;
    this.#now = options.now ?? monotonicMs;
    const spawn = options.spawn ?? childOf(options);
    const start = (): PoolWorker => (this.#worker = spawn((how) => this.#onEnd(how)));
    this.#client = new ThreadClient(start, {
      ...{ threads: 1, idleSeconds: IDLE_SECONDS },
      toError: (reason) => new WorkUnavailable(reason),
    });
  }

  get state(): WorkState {
    return {
      state: this.#stateName(),
      problem: this.#loaded === undefined ? this.#problem : undefined,
      isCompiled: this.#loaded?.isCompiled,
      memory: this.#loaded && this.#memory,
      hashMs: this.#mean(),
      seedMs: this.#seedMs,
      ...{ checked: this.#checked, unmet: this.#unmet, pending: this.#pending, ended: this.#ended },
    };
  }

  /** Starts the process, and computes the published vector of the library. @throws WorkUnavailable */
  async start(): Promise<LoadedRandomX> {
    return this.#run(async () => {
      const loaded = await this.#client.run('load', undefined);
      this.#loaded = loaded;
      this.#memory = loaded.memory;
      return loaded;
    });
  }

  /** Computes the hash of a block, and compares it with the difficulty. @throws WorkUnavailable */
  async check(input: WorkInput): Promise<HashedWork> {
    if (this.#loaded === undefined) await this.start();
    return this.#run(async () => {
      const result = await this.#client.run('check', input);
      this.#note(result);
      return result;
    });
  }

  /** Ends the process; calls that wait or run fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#loaded = undefined;
    clearTimeout(this.#watchdog);
    await this.#client.close();
  }

  async #run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new WorkUnavailable('the server stops');
    const wait = this.#retryAt - this.#now();
    if (wait > 0) throw new WorkUnavailable(this.#problem ?? 'the process starts again later', wait);
    if (this.#pending >= (this.#options.most ?? MOST_PENDING))
      throw new WorkUnavailable(`${this.#pending} checks of work wait already`, RETRY_MS.first);
    this.#pending += 1;
    this.#watch();
    try {
      return await call();
    } catch (error) {
      throw this.#unavailable(error);
    } finally {
      this.#pending -= 1;
      this.#watch();
    }
  }

  /** Returns the error of a failed call. A process that refuses its job cannot load the library, and is ended. */
  #unavailable(error: unknown): WorkUnavailable {
    if (this.#isClosed) return new WorkUnavailable('the server stops');
    if (error instanceof WorkUnavailable && error.retryMs === undefined) {
      this.#fail(error.message);
      void this.#worker?.terminate();
    }
    return new WorkUnavailable(
      this.#problem ?? (error instanceof Error ? error.message : 'the process failed'),
      Math.max(0, this.#retryAt - this.#now()),
    );
  }

  /** Ends the process once it has not answered for too long. Called when a call begins, and when one ends. */
  #watch(): void {
    clearTimeout(this.#watchdog);
    if (this.#pending === 0 || this.#isClosed) return;
    const limit = this.#options.limitMs ?? LIMIT_MS;
    this.#watchdog = setTimeout(() => {
      this.#fail(`the process that checks proof of work has not answered for ${limit / 1000} s`);
      void this.#worker?.terminate();
    }, limit).unref();
  }

  #onEnd(how: string): void {
    this.#loaded = undefined;
    this.#worker = undefined;
    if (this.#isClosed) return;
    this.#ended += 1;
    if (this.#retryAt <= this.#now()) this.#fail(`the process that checks proof of work has ended: ${how}`);
    const retryMs = this.#retryAt - this.#now();
    // Without this, the next check would start a process at once.
    for (
      let waiting = this.#client.takeWaiting();
      waiting !== undefined;
      waiting = this.#client.takeWaiting()
    )
      waiting.reject(new WorkUnavailable(this.#problem ?? how, retryMs));
  }

  #fail(problem: string): void {
    this.#failures += 1;
    const pause = backOff(this.#failures, this.#options.retryMs ?? RETRY_MS);
    this.#retryAt = this.#now() + pause;
    if (problem !== this.#problem)
      this.#options.log?.warn({ problem, retryMs: pause }, 'proof of work is not checked');
    this.#problem = problem;
  }

  #stateName(): WorkState['state'] {
    if (this.#isClosed) return 'stopped';
    if (this.#loaded !== undefined) return 'ready';
    if (this.#problem !== undefined) return 'failed';
    return this.#pending > 0 ? 'starting' : 'stopped';
  }

  #mean(): number | undefined {
    if (this.#latestMs.length === 0) return undefined;
    return this.#latestMs.reduce((sum, ms) => sum + ms, 0) / this.#latestMs.length;
  }

  #note({ isMet, ms, seedMs, memory }: HashedWork): void {
    this.#failures = 0;
    this.#problem = undefined;
    this.#checked += 1;
    if (!isMet) this.#unmet += 1;
    this.#memory = memory;
    if (seedMs > 0) this.#seedMs = seedMs;
    this.#latestMs.push(ms);
    if (this.#latestMs.length > MEAN_OF) this.#latestMs.shift();
  }
}
