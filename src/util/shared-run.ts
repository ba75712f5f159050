import { Mutex } from './mutex.js';

/**
 * Runs a task, never twice at the same time. Callers before the start of a run share it; later callers wait for the
 * next run.
 */
export class SharedRun<T> {
  readonly #task: () => Promise<T>;
  readonly #running = new Mutex();
  /** The next run; undefined once it has started. */
  #next: Promise<T> | undefined;

  constructor(task: () => Promise<T>) {
    this.#task = task;
  }

  /**
   * Runs the task in a run that starts after this call. @throws the error of the task, for each caller that shares the
   * run.
   */
  run(): Promise<T> {
    this.#next ??= this.#running.run(() => {
      this.#next = undefined;
      return this.#task();
    });
    return this.#next;
  }
}
