import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { waitAtMost } from '../../src/util/wait-at-most.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('a wait with a limit', () => {
  it('ends with its promise, and leaves no timer behind', async () => {
    await waitAtMost(Promise.resolve(), 1_000_000);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ends at its limit if the promise is pending', async () => {
    let ended = false;
    const waiting = waitAtMost(new Promise(() => undefined), 50).then(() => (ended = true));
    await jest.advanceTimersByTimeAsync(49);
    expect(ended).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await waiting;
    expect(ended).toBe(true);
  });

  it('fails with its promise, and leaves no timer behind', async () => {
    await expect(waitAtMost(Promise.reject(new Error('no')), 1_000_000)).rejects.toThrow('no');
    expect(jest.getTimerCount()).toBe(0);
  });
});
