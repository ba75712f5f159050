import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Callers } from '../../src/util/callers.js';

let now = 0;
let callers: Callers;

beforeEach(() => {
  jest.useFakeTimers();
  now = 1000;
  callers = new Callers(() => now);
});

afterEach(() => {
  jest.useRealTimers();
});

describe('those who wait for an answer', () => {
  it('are none before the first and after the last', () => {
    expect(callers.areWaiting).toBe(false);
    const leave = [callers.arrive(), callers.arrive()];
    expect(callers.areWaiting).toBe(true);
    leave[0]?.();
    expect(callers.areWaiting).toBe(true);
    leave[1]?.();
    leave[1]?.();
    expect(callers.areWaiting).toBe(false);
  });

  it('count for a moment only', () => {
    const leave = callers.arrive();
    now += 19;
    expect(callers.areWaiting).toBe(true);
    now += 1;
    expect(callers.areWaiting).toBe(false);
    callers.arrive();
    expect(callers.areWaiting).toBe(true);
    leave();
    expect(callers.areWaiting).toBe(true);
  });
});

describe('work that lets them pass', () => {
  it('goes on once the last of them left', () => {
    const done = jest.fn();
    const leave = [callers.arrive(), callers.arrive()];
    callers.letPass(5, done);
    leave[0]?.();
    expect(done).not.toHaveBeenCalled();
    leave[1]?.();
    expect(done).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(100);
    expect(done).toHaveBeenCalledTimes(1);
  });

  it('goes on while they wait when its time is over, once', () => {
    const done = jest.fn();
    const leave = callers.arrive();
    callers.letPass(5, done);
    jest.advanceTimersByTime(4);
    expect(done).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(done).toHaveBeenCalledTimes(1);
    leave();
    expect(done).toHaveBeenCalledTimes(1);
  });

  it('does not wait for one whose answer takes longer', () => {
    const done = jest.fn();
    callers.arrive();
    now += 20;
    const leave = callers.arrive();
    callers.letPass(5, done);
    leave();
    expect(done).toHaveBeenCalledTimes(1);
  });
});
