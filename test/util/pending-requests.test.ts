import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RequestActivity } from '../../src/util/request-activity.js';
import { PendingRequests } from '../../src/util/pending-requests.js';

let now = 0;
let requests: PendingRequests;

beforeEach(() => {
  jest.useFakeTimers();
  now = 1000;
  const clock = (): number => now;
  requests = new PendingRequests(clock, new RequestActivity(undefined, clock));
});

afterEach(() => {
  jest.useRealTimers();
});

describe('pending requests', () => {
  it('are recent from the first begin to the last end', () => {
    expect(requests.anyRecent).toBe(false);
    const end = [requests.begin(), requests.begin()];
    expect(requests.anyRecent).toBe(true);
    end[0]?.();
    expect(requests.anyRecent).toBe(true);
    end[1]?.();
    end[1]?.();
    expect(requests.anyRecent).toBe(false);
  });

  it('are noted as activity when they begin, and not when they end', () => {
    const ends = [requests.begin(), requests.begin()];
    expect(requests.activity.areFrequent).toBe(false);
    ends.push(requests.begin());
    expect(requests.activity.areFrequent).toBe(true);
    now += 500;
    for (const end of ends) end();
    expect(requests.activity.areFrequent).toBe(false);
  });

  it('are no longer recent after 20 ms', () => {
    const end = requests.begin();
    now += 19;
    expect(requests.anyRecent).toBe(true);
    now += 1;
    expect(requests.anyRecent).toBe(false);
    requests.begin();
    expect(requests.anyRecent).toBe(true);
    end();
    expect(requests.anyRecent).toBe(true);
  });
});

describe('work that waits for pending requests', () => {
  it('runs when the last one has ended, once', () => {
    const done = jest.fn();
    const end = [requests.begin(), requests.begin()];
    requests.whenNoneRecent(5, done);
    end[0]?.();
    expect(done).not.toHaveBeenCalled();
    end[1]?.();
    expect(done).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(100);
    expect(done).toHaveBeenCalledTimes(1);
  });

  it('runs once when its time limit passes before they end', () => {
    const done = jest.fn();
    const end = requests.begin();
    requests.whenNoneRecent(5, done);
    jest.advanceTimersByTime(4);
    expect(done).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(done).toHaveBeenCalledTimes(1);
    end();
    expect(done).toHaveBeenCalledTimes(1);
  });

  it('does not wait for a request that is no longer recent', () => {
    const done = jest.fn();
    requests.begin();
    now += 20;
    const end = requests.begin();
    requests.whenNoneRecent(5, done);
    end();
    expect(done).toHaveBeenCalledTimes(1);
  });
});
