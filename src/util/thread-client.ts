import {
  buffersOf,
  type InputOf,
  type JobAnswer,
  type JobCall,
  type Jobs,
  type ResultOf,
} from './thread-jobs.js';
import { WorkerPool } from './worker-pool.js';

export interface ThreadOptions<Refusal> {
  /** Largest number of threads; at least one is used. */
  readonly threads: number;
  /** Idle time after which a thread ends [s]; absent: that of {@link WorkerPool}. */
  readonly idleSeconds?: number;
  /** `workerData` of each thread. */
  readonly data?: unknown;
  /** Creates the error of a refused job. */
  readonly toError?: (refusal: Refusal) => Error;
}

/** A job that was removed from the queue before a thread ran it; the caller must run and settle it. */
export interface WaitingJob<Input, Result> {
  readonly input: Input;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Runs jobs on threads whose script answers them by `answerCalls`. The threads start and end as those of a
 * {@link WorkerPool}.
 */
export class ThreadClient<All extends Jobs, Refusal = never> {
  readonly #pool: WorkerPool<JobCall, JobAnswer<Refusal>>;
  readonly #toError: ((refusal: Refusal) => Error) | undefined;

  constructor(script: URL, { threads, idleSeconds, data, toError }: ThreadOptions<Refusal>) {
    this.#pool = new WorkerPool(script, threads, idleSeconds, data);
    this.#toError = toError;
  }

  /** Largest number of threads. */
  get size(): number {
    return this.#pool.size;
  }

  /** Number of threads that could run a job now, started or not. */
  get free(): number {
    return this.#pool.free;
  }

  /**
   * Starts threads before their first job.
   * @param count number of threads up to which new ones are started; absent: all.
   */
  start(count?: number): void {
    this.#pool.start(count);
  }

  /**
   * Runs a job on a thread.
   * @param moved byte arrays in the input with buffers of their own, which are moved to the thread instead of copied.
   * @throws the error of a refusal; Error when the thread fails or the client is closed.
   */
  async run<Name extends keyof All & string>(
    job: Name,
    input: InputOf<All, Name>,
    moved: readonly Uint8Array[] = [],
  ): Promise<ResultOf<All, Name>> {
    const answer = await this.#pool.run({ job, input }, buffersOf(moved));
    if ('result' in answer) return answer.result as ResultOf<All, Name>;
    throw this.#toError?.(answer.refusal) ?? new Error(`a thread refused its job ${job}`);
  }

  /** Removes the job that has waited longest for a thread, and returns it. */
  takeWaiting(): WaitingJob<InputOf<All, keyof All>, ResultOf<All, keyof All>> | undefined {
    const waiting = this.#pool.takeWaiting();
    if (waiting === undefined) return undefined;
    const { input: call, resolve, reject } = waiting;
    return {
      input: call.input as InputOf<All, keyof All>,
      resolve: (result) => resolve({ result }),
      reject,
    };
  }

  /** Sends waiting jobs to busy threads: see {@link WorkerPool.sendAhead}. @param count most jobs of a thread. */
  sendAhead(count: number): void {
    this.#pool.sendAhead(count);
  }

  /** Ends the threads; rejects running and waiting jobs. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}
