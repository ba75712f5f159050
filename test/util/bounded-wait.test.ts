import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { unlessAborted, waitAtMost } from '../../src/util/bounded-wait.js';

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

describe('a wait that a signal can end', () => {
  it('ends with its promise, and no longer listens to the signal', async () => {
    const { signal } = new AbortController();
    const removed = jest.spyOn(signal, 'removeEventListener');
    expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7);
    await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(removed).toHaveBeenCalledTimes(2);
  });

  it('fails with the reason of the signal, whether it is aborted before or later', async () => {
    const controller = new AbortController();
    const never = new Promise<void>(() => undefined);
    const early = unlessAborted(never, controller.signal);
    controller.abort(new Error('no longer needed'));
    await expect(early).rejects.toThrow('no longer needed');
    await expect(unlessAborted(Promise.resolve(7), controller.signal)).rejects.toThrow('no longer needed');
  });

  it('is the promise itself without a signal', () => {
    const result = Promise.resolve(7);
    expect(unlessAborted(result, undefined)).toBe(result);
  });
});
