import { Mutex } from './mutex.js';

/** Runs a task one at a time. Callers that ask before a run starts share it; later ones wait for the next run. */
export class SharedRun<T> {
  readonly #task: () => Promise<T>;
  readonly #running = new Mutex();
  /** Next run, while it has not started. */
  #next: Promise<T> | undefined;

  constructor(task: () => Promise<T>) {
    this.#task = task;
  }

  /** Runs the task once, beginning after this call. @throws as the task, for each caller that shares the run. */
  run(): Promise<T> {
    this.#next ??= this.#running.run(() => {
      this.#next = undefined;
      return this.#task();
    });
    return this.#next;
  }
}
