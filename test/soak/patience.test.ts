import { expect, it } from '@jest/globals';
import { repeating } from './patience.js';

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
