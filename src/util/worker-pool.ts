import { Worker, type TransferListItem } from 'node:worker_threads';

interface Task<In, Out> {
  readonly input: In;
  readonly transfer: readonly TransferListItem[];
  readonly resolve: (output: Out) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Worker threads that each turn one message into one message. Tasks start in order; a worker that dies fails
 * its task and is replaced by the next task that needs one. Threads start on demand, end when nothing was asked
 * of them for a while, and do not keep the process alive.
 */
export class WorkerPool<In, Out> {
  readonly #script: URL;
  readonly #size: number;
  readonly #idleSeconds: number;
  readonly #queue: Task<In, Out>[] = [];
  /** Those that waited longest lead, each with what ends it. */
  readonly #idle: { readonly worker: Worker; readonly end: NodeJS.Timeout | undefined }[] = [];
  readonly #busy = new Map<Worker, Task<In, Out>>();
  #closed = false;

  /** @param size threads at most, ≥ 1. @param idleSeconds that a thread waits for another task; it may be Infinity. */
  constructor(script: URL, size: number, idleSeconds = 60) {
    this.#script = script;
    this.#idleSeconds = idleSeconds;
    this.#size = Math.max(1, size);
  }

  get size(): number {
    return this.#size;
  }

  /** Starts threads ahead of their first task. @param count at most. */
  start(count = this.#size): void {
    while (!this.#closed && this.#idle.length + this.#busy.size < Math.min(count, this.#size))
      this.#rest(this.#spawn());
  }

  /**
   * @param transfer buffers of `input` that change hands instead of being copied.
   * @throws Error when the worker fails or the pool is closed.
   */
  run(input: In, transfer: readonly TransferListItem[] = []): Promise<Out> {
    if (this.#closed) return Promise.reject(new Error('worker pool is closed'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ input, transfer, resolve, reject });
      this.#pump();
    });
  }

  /** Ends the threads; what still runs or waits is rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    const waiting = [...this.#queue.splice(0), ...this.#busy.values()];
    const resting = this.#idle.splice(0);
    for (const { end } of resting) clearTimeout(end);
    const workers = [...resting.map(({ worker }) => worker), ...this.#busy.keys()];
    this.#busy.clear();
    for (const task of waiting) task.reject(new Error('worker pool is closed'));
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #pump(): void {
    while (this.#queue.length > 0) {
      const worker = this.#wake() ?? (this.#busy.size < this.#size ? this.#spawn() : undefined);
      if (worker === undefined) return;
      const task = this.#queue.shift();
      if (task === undefined) return;
      this.#busy.set(worker, task);
      worker.ref();
      worker.postMessage(task.input, task.transfer);
    }
  }

  /** The one that waits shortest: the others may end. */
  #wake(): Worker | undefined {
    const next = this.#idle.pop();
    clearTimeout(next?.end);
    return next?.worker;
  }

  #rest(worker: Worker): void {
    const finish = (): void => {
      this.#forget(worker);
      void worker.terminate();
    };
    const end = Number.isFinite(this.#idleSeconds)
      ? setTimeout(finish, 1000 * this.#idleSeconds).unref()
      : undefined;
    this.#idle.push({ worker, end });
  }

  #forget(worker: Worker): void {
    const index = this.#idle.findIndex((resting) => resting.worker === worker);
    if (index < 0) return;
    clearTimeout(this.#idle[index]?.end);
    this.#idle.splice(index, 1);
  }

  #spawn(): Worker {
    const worker = new Worker(this.#script);
    worker.unref();
    worker.on('message', (output: Out) => {
      const task = this.#release(worker);
      this.#rest(worker);
      worker.unref();
      task?.resolve(output);
      this.#pump();
    });
    worker.on('error', (error) => this.#release(worker)?.reject(error as Error));
    worker.on('exit', () => {
      this.#forget(worker);
      this.#release(worker)?.reject(new Error('worker thread stopped'));
      if (!this.#closed) this.#pump();
    });
    return worker;
  }

  #release(worker: Worker): Task<In, Out> | undefined {
    const task = this.#busy.get(worker);
    this.#busy.delete(worker);
    return task;
  }
}
