/** Resolves in the next turn of the event loop, after all callbacks that are due. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Returns the processor time that this thread has used [ms], without that of the threads that scan, collect garbage or
 * compile beside it. Before Node.js 23.9: that of the process.
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
