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
    'is frequent from the start of a request to 250 ms after it, at %s ms',
    (start) => {
      now = start;
      const activity = new RequestActivity(undefined, clock);
      expect(activity.areFrequent).toBe(false);
      activity.note();
      expect(activity.areFrequent).toBe(true);
      now = start + 249;
      expect(activity.areFrequent).toBe(true);
      now = start + 250;
      expect(activity.areFrequent).toBe(false);
    },
  );

  it('is the same in every thread that has its memory', () => {
    const [main, other] = [new RequestActivity(undefined, clock), new RequestActivity(undefined, clock)];
    const thread = new RequestActivity(main.shared, clock);
    main.note();
    expect([main, thread, other].map(({ areFrequent }) => areFrequent)).toEqual([true, true, false]);
  });

  it('makes a thread sleep for a moment while it is frequent, and not otherwise', () => {
    const wait = jest.spyOn(Atomics, 'wait');
    const activity = new RequestActivity(undefined, clock);
    activity.giveWay();
    expect(wait).not.toHaveBeenCalled();
    activity.note();
    activity.giveWay();
    now += 250;
    activity.giveWay();
    expect(wait.mock.results).toEqual([{ type: 'return', value: 'timed-out' }]);
  });
});
