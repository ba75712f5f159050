import { Worker, type TransferListItem } from 'node:worker_threads';
import {
  buffersOf,
  type InputOf,
  type JobAnswer,
  type JobCall,
  type Jobs,
  type ResultOf,
} from './thread-jobs.js';

/** Task that waits for a thread. The caller of {@link WorkerPool.run} receives its output or error. */
export interface WaitingTask<In, Out> {
  readonly input: In;
  readonly resolve: (output: Out) => void;
  readonly reject: (error: Error) => void;
}

interface Task<In, Out> extends WaitingTask<In, Out> {
  readonly transfer: readonly TransferListItem[];
}

/** A thread or a process that runs the tasks of a {@link WorkerPool}. */
export interface PoolWorker {
  postMessage(message: unknown, transfer?: readonly TransferListItem[]): void;
  /** Listens for messages, for the error of a worker that fails, and for its end. */
  on(event: 'message' | 'error' | 'exit', listener: (value: unknown) => void): unknown;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

/**
 * Runs tasks in worker threads, with one message for the input and one for the output. Tasks start in the order of
 * their calls. The tasks of a worker that fails are rejected, and the next task starts another worker. Threads start on
 * demand, end after an idle time, and do not keep the process alive.
 */
export class WorkerPool<In, Out> {
  readonly #create: () => PoolWorker;
  readonly #size: number;
  readonly #idleSeconds: number;
  readonly #queue: Task<In, Out>[] = [];
  /** Idle workers, longest idle first, each with the timer that ends it. */
  readonly #idle: { readonly worker: PoolWorker; readonly timer: NodeJS.Timeout }[] = [];
  /** Busy workers, each with its tasks in order: the running task, and tasks that were sent ahead. */
  readonly #busy = new Map<PoolWorker, Task<In, Out>[]>();
  #closed = false;

  /**
   * @param source script of the threads, or a function that starts a worker.
   * @param size largest number of threads; at least one is used.
   * @param idleSeconds idle time after which a thread ends [s].
   * @param workerData data for each thread of a script.
   */
  constructor(source: URL | (() => PoolWorker), size: number, idleSeconds = 60, workerData?: unknown) {
    this.#create = source instanceof URL ? () => new Worker(source, { workerData }) : source;
    this.#idleSeconds = idleSeconds;
    this.#size = Math.max(1, size);
  }

  get size(): number {
    return this.#size;
  }

  /** Number of threads that could run a task now, started or not. */
  get free(): number {
    return this.#size - this.#busy.size;
  }

  /** Starts threads before their first task. @param count number of threads up to which new threads are started. */
  start(count = this.#size): void {
    while (!this.#closed && this.#idle.length + this.#busy.size < Math.min(count, this.#size))
      this.#addIdle(this.#spawn());
  }

  /**
   * Runs a task on a thread. @param transfer buffers of `input` that are transferred instead of copied.
   * @throws Error if the worker fails or the pool is closed.
   */
  run(input: In, transfer: readonly TransferListItem[] = []): Promise<Out> {
    if (this.#closed) return Promise.reject(new Error('worker pool is closed'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ input, transfer, resolve, reject });
      this.#pump();
    });
  }

  /** Removes the task that has waited longest for a thread; the caller must run and settle it. */
  takeWaiting(): WaitingTask<In, Out> | undefined {
    return this.#queue.shift();
  }

  /**
   * Sends waiting tasks to busy threads, because the calling thread will be busy as well and could not send them later.
   * @param count largest number of tasks of a thread, including the running one.
   * @param left number of tasks that stay, for the caller of {@link takeWaiting}.
   */
  sendAhead(count: number, left = 0): void {
    for (const [worker, tasks] of this.#busy)
      while (tasks.length < count && this.#queue.length > left) this.#sendNext(worker, tasks);
  }

  /** Ends the threads; rejects running and queued tasks. */
  async close(): Promise<void> {
    this.#closed = true;
    const unfinished = [...this.#queue.splice(0), ...[...this.#busy.values()].flat()];
    const idle = this.#idle.splice(0);
    for (const { timer } of idle) clearTimeout(timer);
    const workers = [...idle.map(({ worker }) => worker), ...this.#busy.keys()];
    this.#busy.clear();
    for (const task of unfinished) task.reject(new Error('worker pool is closed'));
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #pump(): void {
    while (this.#queue.length > 0) {
      const worker = this.#takeIdle() ?? (this.#busy.size < this.#size ? this.#spawn() : undefined);
      if (worker === undefined) return;
      const tasks: Task<In, Out>[] = [];
      this.#busy.set(worker, tasks);
      worker.ref();
      this.#sendNext(worker, tasks);
    }
  }

  /** Sends the next waiting task to a worker. @param tasks tasks of the worker. */
  #sendNext(worker: PoolWorker, tasks: Task<In, Out>[]): void {
    const task = this.#queue.shift();
    if (task === undefined) return;
    tasks.push(task);
    worker.postMessage(task.input, task.transfer);
  }

  /** Takes the worker that became idle last, so that other workers reach their idle time. */
  #takeIdle(): PoolWorker | undefined {
    const last = this.#idle.pop();
    clearTimeout(last?.timer);
    return last?.worker;
  }

  #addIdle(worker: PoolWorker): void {
    const finish = (): void => {
      this.#removeIdle(worker);
      void worker.terminate();
    };
    this.#idle.push({ worker, timer: setTimeout(finish, 1000 * this.#idleSeconds).unref() });
  }

  #removeIdle(worker: PoolWorker): void {
    const index = this.#idle.findIndex((idle) => idle.worker === worker);
    if (index < 0) return;
    clearTimeout(this.#idle[index]?.timer);
    this.#idle.splice(index, 1);
  }

  #spawn(): PoolWorker {
    const worker = this.#create();
    worker.unref();
    worker.on('message', (output) => {
      const tasks = this.#busy.get(worker);
      const task = tasks?.shift();
      if (tasks?.length === 0) {
        this.#busy.delete(worker);
        this.#addIdle(worker);
        worker.unref();
      }
      task?.resolve(output as Out);
      this.#pump();
    });
    worker.on('error', (error) => this.#failTasks(worker, withSystemCode(error as Error)));
    worker.on('exit', () => {
      this.#removeIdle(worker);
      this.#failTasks(worker, new Error('worker thread stopped'));
      if (!this.#closed) this.#pump();
    });
    return worker;
  }

  #failTasks(worker: PoolWorker, error: Error): void {
    const tasks = this.#busy.get(worker) ?? [];
    this.#busy.delete(worker);
    for (const { reject } of tasks) reject(error);
  }
}

/**
 * Adds the error code of the operating system to an error that prevented the start of a thread; Node.js gives the code
 * in the message only.
 */
function withSystemCode(error: Error): Error {
  const [, named] = /^Worker initialization failure: (E[A-Z]+)$/.exec(error.message) ?? [];
  const code = error.message.includes('too many open files') ? 'EMFILE' : named;
  return code === undefined ? error : Object.assign(error, { code });
}

export interface ThreadOptions<Refusal> {
  /** Largest number of threads; at least one is used. */
  readonly threads: number;
  /** Idle time after which a thread ends [s]; absent: the idle time of {@link WorkerPool}. */
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
 * Runs jobs on threads whose script answers them by `answerCalls`. The threads start and end like threads of a {@link
 * WorkerPool}.
 */
export class ThreadClient<All extends Jobs, Refusal = never> {
  readonly #pool: WorkerPool<JobCall, JobAnswer<Refusal>>;
  readonly #toError: ((refusal: Refusal) => Error) | undefined;

  /** @param source script of the threads, or a function that starts a worker. */
  constructor(
    source: URL | (() => PoolWorker),
    { threads, idleSeconds, data, toError }: ThreadOptions<Refusal>,
  ) {
    this.#pool = new WorkerPool(source, threads, idleSeconds, data);
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
   * @param count number of threads up to which new threads are started; absent: all threads.
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

  /**
   * Sends waiting jobs to busy threads: see {@link WorkerPool.sendAhead}.
   * @param count most jobs of a thread. @param left number of jobs that stay, for the caller of {@link takeWaiting}.
   */
  sendAhead(count: number, left?: number): void {
    this.#pool.sendAhead(count, left);
  }

  /** Ends the threads; rejects running and waiting jobs. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}
