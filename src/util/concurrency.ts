/** Runs tasks one after another, in the order of the calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** A mutex whose task may let the next one begin before it has ended. */
export class HandOverMutex {
  readonly #mutex = new Mutex();
  readonly #most: number;
  /** Tasks that have handed over or may do so. */
  readonly #running = new Set<Promise<void>>();

  /** @param most largest number of tasks that run at the same time. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Runs a task while no other one runs, also none that has handed over. */
  run<T>(task: () => Promise<T>): Promise<T> {
    return this.#mutex.run(async () => {
      await Promise.all(this.#running);
      return task();
    });
  }

  /**
   * Runs a task when each earlier one has ended or handed over, and fewer than the most run.
   * @param task calls its argument when the next such task may begin; at the latest it begins when the task has ended.
   */
  runHandingOver<T>(task: (handOver: () => void) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    void this.#mutex.run(async () => {
      if (this.#running.size >= this.#most) await Promise.race(this.#running);
      await new Promise<void>((handOver) => {
        const ended = task(handOver)
          .then(resolve, reject)
          .finally(() => {
            this.#running.delete(ended);
            handOver();
          });
        this.#running.add(ended);
      });
    });
    return promise;
  }
}

/** A mutex for each key: tasks with the same key run one after another, tasks with different keys at the same time. */
export class KeyedMutex {
  readonly #mutexes = new Map<string, { readonly mutex: Mutex; users: number }>();

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const entry = this.#mutexes.get(key) ?? { mutex: new Mutex(), users: 0 };
    this.#mutexes.set(key, entry);
    entry.users += 1;
    try {
      return await entry.mutex.run(task);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) this.#mutexes.delete(key);
    }
  }
}

/** Limits the number of tasks that run at one time; further tasks wait in the order of their calls. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#free = most;
  }

  /** Runs a task when its turn comes. @throws the reason of the signal if it is aborted before. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.take(signal);
    try {
      return await task();
    } finally {
      this.give();
    }
  }

  /** Takes a place, which is to be given back. @throws the reason of the signal if it is aborted before. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#waiting.delete(begin);
        reject(signal.reason as Error);
      };
      this.#waiting.add(begin);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Gives a place back. The caller that has waited longest gets it, so that no later caller takes it. */
  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}

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

/**
 * Resolves when a promise is fulfilled, or after a time. @param ms longest wait [ms]. @throws the rejection of the
 * promise.
 */
export async function waitAtMost(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a result for which other callers may also wait. @throws the reason of the signal once it is aborted. */
export function unlessAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Returns a function that creates a value at its first call, and returns the same value at every later call. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
