import { afterEach, beforeEach, describe, expect, it, jest, test } from '@jest/globals';
import { RequestActivity } from '../../src/util/request-activity.js';

let now = 0;
const clock = (): number => now;

beforeEach(() => {
  now = 1000;
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the activity of requests', () => {
  // The start is kept in 32 bits, which end between these.
  test.each([1000, 2 ** 31 - 100, 2 ** 32 - 100, 2 ** 40 + 0.75])(
    'is frequent from the third request to 500 ms after the first of the last three, at %s ms',
    (start) => {
      now = start;
      const activity = new RequestActivity(undefined, clock);
      expect(activity.areFrequent).toBe(false);
      for (const [later, areFrequent] of [
        [0, false],
        [200, false],
        [300, true],
        [600, true],
      ] as const) {
        now = start + later;
        activity.note();
        expect(activity.areFrequent).toBe(areFrequent);
      }
      now = start + 699;
      expect(activity.areFrequent).toBe(true);
      now = start + 700;
      expect(activity.areFrequent).toBe(false);
    },
  );

  it('is not frequent when a client restores a wallet and refreshes it, whatever the time between', () => {
    const activity = new RequestActivity(undefined, clock);
    activity.note();
    activity.note();
    expect(activity.areFrequent).toBe(false);
  });

  it('is the same in every thread that has its memory', () => {
    const [main, other] = [new RequestActivity(undefined, clock), new RequestActivity(undefined, clock)];
    const thread = new RequestActivity(main.shared, clock);
    for (let n = 0; n < 3; n++) main.note();
    expect([main, thread, other].map(({ areFrequent }) => areFrequent)).toEqual([true, true, false]);
  });

  it('makes a thread sleep for a moment while it is frequent, and not otherwise', () => {
    const wait = jest.spyOn(Atomics, 'wait');
    const activity = new RequestActivity(undefined, clock);
    activity.giveWay();
    expect(wait).not.toHaveBeenCalled();
    for (let n = 0; n < 3; n++) activity.note();
    activity.giveWay();
    now += 500;
    activity.giveWay();
    expect(wait.mock.results).toEqual([{ type: 'return', value: 'timed-out' }]);
  });
});
