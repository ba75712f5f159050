import type { Callable } from '../crash/wallet-client.js';
import { until } from '../support/process.js';

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
