import { jest } from '@jest/globals';

/**
 * Runs a task while timeouts and intervals expire only by `jest.advanceTimersByTime`; the other clocks go on. Use it for
 * the time limits and pauses of the code under test.
 */
export async function withFakeTimeouts<T>(task: () => Promise<T>): Promise<T> {
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
    ],
  });
  try {
    return await task();
  } finally {
    jest.useRealTimers();
  }
}
