import { Worker, type TransferListItem } from 'node:worker_threads';

interface Task<In, Out> {
  readonly input: In;
  readonly transfer: readonly TransferListItem[];
  readonly resolve: (output: Out) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Worker threads that each turn one message into one message. Tasks start in order; a worker that dies fails
 * its task and is replaced by the next task that needs one. Threads start on demand and do not keep the
 * process alive.
 */
export class WorkerPool<In, Out> {
  readonly #script: URL;
  readonly #size: number;
  readonly #queue: Task<In, Out>[] = [];
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Task<In, Out>>();
  #closed = false;

  /** @param size threads at most, ≥ 1. */
  constructor(script: URL, size: number) {
    this.#script = script;
    this.#size = Math.max(1, size);
  }

  get size(): number {
    return this.#size;
  }

  /** Starts threads ahead of their first task. @param count at most. */
  start(count = this.#size): void {
    while (!this.#closed && this.#idle.length + this.#busy.size < Math.min(count, this.#size))
      this.#idle.push(this.#spawn());
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
    const workers = [...this.#idle.splice(0), ...this.#busy.keys()];
    this.#busy.clear();
    for (const task of waiting) task.reject(new Error('worker pool is closed'));
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #pump(): void {
    while (this.#queue.length > 0) {
      const worker = this.#idle.pop() ?? (this.#busy.size < this.#size ? this.#spawn() : undefined);
      if (worker === undefined) return;
      const task = this.#queue.shift();
      if (task === undefined) return;
      this.#busy.set(worker, task);
      worker.ref();
      worker.postMessage(task.input, task.transfer);
    }
  }

  #spawn(): Worker {
    const worker = new Worker(this.#script);
    worker.unref();
    worker.on('message', (output: Out) => {
      const task = this.#release(worker);
      this.#idle.push(worker);
      worker.unref();
      task?.resolve(output);
      this.#pump();
    });
    worker.on('error', (error) => this.#release(worker)?.reject(error as Error));
    worker.on('exit', () => {
      const index = this.#idle.indexOf(worker);
      if (index >= 0) this.#idle.splice(index, 1);
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
