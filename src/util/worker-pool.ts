import { Worker, type TransferListItem } from 'node:worker_threads';

/** Task that waits for a thread; the caller of {@link WorkerPool.run} gets its output or error. */
export interface WaitingTask<In, Out> {
  readonly input: In;
  readonly resolve: (output: Out) => void;
  readonly reject: (error: Error) => void;
}

interface Task<In, Out> extends WaitingTask<In, Out> {
  readonly transfer: readonly TransferListItem[];
}

/**
 * Runs tasks in worker threads, one message in and one message out. Tasks start in order. A worker that dies fails its
 * tasks; the next task that needs a thread starts another. Threads start on demand, end after an idle time, and do not
 * keep the process alive.
 */
export class WorkerPool<In, Out> {
  readonly #script: URL;
  readonly #size: number;
  readonly #idleSeconds: number;
  readonly #workerData: unknown;
  readonly #queue: Task<In, Out>[] = [];
  /** Idle workers, longest idle first, each with the timer that ends it. */
  readonly #idle: { readonly worker: Worker; readonly timer: NodeJS.Timeout }[] = [];
  /** Workers with their tasks in order: the one that runs, and those that were sent ahead. */
  readonly #busy = new Map<Worker, Task<In, Out>[]>();
  #closed = false;

  /** @param size most threads, ≥ 1. @param idleSeconds time before an idle thread ends. @param workerData for each thread. */
  constructor(script: URL, size: number, idleSeconds = 60, workerData?: unknown) {
    this.#script = script;
    this.#idleSeconds = idleSeconds;
    this.#workerData = workerData;
    this.#size = Math.max(1, size);
  }

  get size(): number {
    return this.#size;
  }

  /** Threads that run no task, started or not. */
  get free(): number {
    return this.#size - this.#busy.size;
  }

  /** Starts threads ahead of their first task. @param count most threads to have. */
  start(count = this.#size): void {
    while (!this.#closed && this.#idle.length + this.#busy.size < Math.min(count, this.#size))
      this.#addIdle(this.#spawn());
  }

  /**
   * @param transfer buffers of `input` that are transferred instead of copied.
   * @throws Error when the worker fails or the pool is closed.
   */
  run(input: In, transfer: readonly TransferListItem[] = []): Promise<Out> {
    if (this.#closed) return Promise.reject(new Error('worker pool is closed'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ input, transfer, resolve, reject });
      this.#pump();
    });
  }

  /** Takes the task that has waited longest for a thread. The taker runs it, and settles it. */
  takeWaiting(): WaitingTask<In, Out> | undefined {
    return this.#queue.shift();
  }

  /**
   * Gives busy threads tasks that wait, because the calling thread will be busy too.
   * @param count most tasks of a thread, the one that runs included.
   */
  sendAhead(count: number): void {
    for (const [worker, tasks] of this.#busy)
      while (tasks.length < count && this.#queue.length > 0) this.#sendNext(worker, tasks);
  }

  /** Ends the threads and rejects running and queued tasks. */
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

  /** @param tasks of the worker. */
  #sendNext(worker: Worker, tasks: Task<In, Out>[]): void {
    const task = this.#queue.shift();
    if (task === undefined) return;
    tasks.push(task);
    worker.postMessage(task.input, task.transfer);
  }

  /** Takes the worker that became idle last, so that the others reach their idle time. */
  #takeIdle(): Worker | undefined {
    const last = this.#idle.pop();
    clearTimeout(last?.timer);
    return last?.worker;
  }

  #addIdle(worker: Worker): void {
    const finish = (): void => {
      this.#removeIdle(worker);
      void worker.terminate();
    };
    this.#idle.push({ worker, timer: setTimeout(finish, 1000 * this.#idleSeconds).unref() });
  }

  #removeIdle(worker: Worker): void {
    const index = this.#idle.findIndex((idle) => idle.worker === worker);
    if (index < 0) return;
    clearTimeout(this.#idle[index]?.timer);
    this.#idle.splice(index, 1);
  }

  #spawn(): Worker {
    const worker = new Worker(this.#script, { workerData: this.#workerData });
    worker.unref();
    worker.on('message', (output: Out) => {
      const tasks = this.#busy.get(worker);
      const task = tasks?.shift();
      if (tasks?.length === 0) {
        this.#busy.delete(worker);
        this.#addIdle(worker);
        worker.unref();
      }
      task?.resolve(output);
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

  #failTasks(worker: Worker, error: Error): void {
    const tasks = this.#busy.get(worker) ?? [];
    this.#busy.delete(worker);
    for (const { reject } of tasks) reject(error);
  }
}

/** Gives an error that kept a thread from starting the code of the system's error, which only its text may name. */
function withSystemCode(error: Error): Error {
  const [, named] = /^Worker initialization failure: (E[A-Z]+)$/.exec(error.message) ?? [];
  const code = error.message.includes('too many open files') ? 'EMFILE' : named;
  return code === undefined ? error : Object.assign(error, { code });
}
