import { turns } from './event-loop-turns.js';

/** Timer of the system, also while a test has replaced the global one. */
const { setTimeout: startTimer } = globalThis;

const pauseFor = (ms: number): Promise<void> => new Promise((resolve) => startTimer(resolve, ms));

/** Time after which {@link until} gives up [ms]: other programs may keep the processors busy. */
const PATIENCE_MS = 120_000;

/** Longest pause of {@link until} [ms]. The first pauses are shorter: most conditions are met soon. */
const LONGEST_PAUSE = 100;

/** Polls until a value is present. @throws Error that names the awaited condition. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  let last: unknown;
  for (let pause = 10; Date.now() < end; pause = Math.min(pause * 1.5, LONGEST_PAUSE)) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      last = error;
    }
    await pauseFor(pause);
  }
  throw new Error(`timed out waiting for ${what}`, { cause: last });
}

/** Turns of the event loop in which a number of this process has time to change. */
const STEADY_TURNS = 100;

/** Polls until a number of this process has stayed the same while the event loop turned. @returns the number. */
export const untilSteady = (what: string, read: () => number): Promise<number> =>
  until(what, async () => {
    const before = read();
    await turns(STEADY_TURNS);
    return read() === before ? before : undefined;
  });
