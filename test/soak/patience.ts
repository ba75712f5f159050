import type { Callable } from '../crash/wallet-client.js';
import { until } from '../support/fakes/until.js';

/** Longest wait for what a slow machine also ends some time [ms]. */
export const PATIENCE_MS = 20 * 60_000;

/** Runs a task again until it succeeds. @throws Error that names the task, after {@link PATIENCE_MS}. */
export async function patiently<T>(what: string, task: () => Promise<T>): Promise<T> {
  const { value } = await until(what, async () => ({ value: await task() }), PATIENCE_MS);
  return value;
}

/** Repeats each call of a server until it answers: a slow machine breaks connections. */
export const repeating = ({ call }: Callable): Callable => ({
  call: (method, params) => patiently(`an answer to ${method}`, () => call(method, params)),
});

/** Error codes that no state of the world explains: the call itself is wrong. */
const MISTAKES: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -60, -54]);

/**
 * Error codes after which a client calls again: the daemon does not answer in time (-38), or it is busy, or denies a
 * payment that was sent to it and is asked again first (-3).
 */
const PASSING: ReadonlySet<number> = new Set([-38, -3]);

/** Decides which errors of calls the present trouble explains, or a slow machine after it. */
export class PassingErrors {
  readonly #now: () => number;
  #isTroubled = false;
  #restsSince = -Infinity;

  /** @param now time [ms]. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Begins or ends the time in which something disturbs the servers. */
  set isTroubled(isTroubled: boolean) {
    this.#isTroubled = isTroubled;
    this.#restsSince = this.#now();
  }

  /** True for an error after which a client calls again. */
  readonly includes = (code: number): boolean =>
    this.#isTroubled
      ? !MISTAKES.has(code)
      : PASSING.has(code) && this.#now() < this.#restsSince + PATIENCE_MS;
}
