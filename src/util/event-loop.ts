/** Resolves in the next turn of the event loop, after all callbacks that are due. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Returns the processor time that this thread has used [ms], without the time of the threads that scan, collect garbage
 * or compile beside it. Before Node.js 23.9, returns the time of the whole process.
 */
export function threadCpuMs(): number {
  const { threadCpuUsage } = process as { readonly threadCpuUsage?: typeof process.cpuUsage };
  const { user, system } = threadCpuUsage?.call(process) ?? process.cpuUsage();
  return (user + system) / 1000;
}

/** Lets only a limited number of callers continue in each turn of the event loop, in the order of their calls. */
export class TurnLimit {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Resolves in a later turn of the event loop, when it is the caller's turn. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#turn);
    });
  }

  readonly #turn = (): void => {
    for (const resume of this.#waiting.splice(0, this.#perTurn)) resume();
    if (this.#waiting.length > 0) setImmediate(this.#turn);
  };
}

/** Time for tasks in one turn of the event loop [ms]; the task that exceeds this time is the last task of the turn. */
const SLICE_MS = 8;
/** Number of list items that one task maps. */
const ITEMS_PER_TASK = 64;

/**
 * Runs short tasks in the order of their arrival, for at most a few milliseconds in each turn of the event loop, so
 * that other work is not delayed by a large number of tasks.
 */
class WorkSlices {
  readonly #tasks: (() => void)[] = [];

  /** Queues a synchronous task of at most a few milliseconds. @returns result of the task. */
  run<T>(task: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        try {
          resolve(task());
        } catch (error) {
          reject(error as Error);
        }
      };
      if (this.#tasks.push(settle) === 1) setImmediate(this.#slice);
    });
  }

  /** Maps a list of any length, some items in each task. @throws the error of `map`. */
  async map<T, R>(list: readonly T[], map: (item: T, index: number) => R): Promise<R[]> {
    const mapped: R[] = [];
    for (let at = 0; at < list.length; at += ITEMS_PER_TASK) {
      const items = list.slice(at, at + ITEMS_PER_TASK);
      const task = (): void => items.forEach((item, i) => mapped.push(map(item, at + i)));
      if (at === 0) task();
      else await this.run(task);
    }
    return mapped;
  }

  readonly #slice = (): void => {
    const end = performance.now() + SLICE_MS;
    do this.#tasks[0]?.();
    while (this.#tasks.shift() !== undefined && this.#tasks.length > 0 && performance.now() < end);
    if (this.#tasks.length > 0) setImmediate(this.#slice);
  };
}

/** Queue of the tasks in this thread. */
export const workSlices = new WorkSlices();
