import { describe, expect, it } from '@jest/globals';
import { PassingErrors, PATIENCE_MS, repeating } from './patience.js';

it('repeats a call whose connection broke, and no call that was refused', async () => {
  const refused = { error: { code: -21, message: 'exists' } };
  const replies = [new TypeError('fetch failed'), new TypeError('fetch failed'), refused];
  const { call } = repeating({
    call: () => {
      const reply = replies.shift();
      return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply ?? {});
    },
  });
  expect(await call('create_wallet')).toBe(refused);
  expect(replies).toEqual([]);
});

describe('errors of calls', () => {
  it('pass while something disturbs the servers, mistakes of the caller aside', () => {
    const passing = new PassingErrors();
    expect([-1, -38].map(passing.includes)).toEqual([false, false]);
    passing.isTroubled = true;
    expect([-1, -38, -32601].map(passing.includes)).toEqual([true, true, false]);
  });

  it('pass at rest if a slow machine explains them: a daemon that does not answer or is busy, for some time', () => {
    let now = 0;
    const passing = new PassingErrors(() => now);
    passing.isTroubled = true;
    now += 2 * PATIENCE_MS;
    passing.isTroubled = false;
    now += PATIENCE_MS - 1;
    expect([-1, -38, -3].map(passing.includes)).toEqual([false, true, true]);
    now += 1;
    expect([-38, -3].map(passing.includes)).toEqual([false, false]);
  });
});
