import { expect, test } from '@jest/globals';
import { Semaphore } from '../../src/util/semaphore.js';

test('places are given in order, and to nobody that has stopped waiting', async () => {
  const places = new Semaphore(1);
  const never = new AbortController().signal;
  await places.take(never);
  const order: string[] = [];
  const ended = new AbortController();
  const late = places.take(ended.signal);
  const [first, second] = ['first', 'second'].map((name) => places.take(never).then(() => order.push(name)));
  ended.abort(new Error('late'));
  await expect(late).rejects.toThrow('late');
  places.give();
  await first;
  expect(order).toEqual(['first']);
  places.give();
  await second;
  expect(order).toEqual(['first', 'second']);
  await expect(places.take(ended.signal)).rejects.toThrow('late');
  places.give();
  await places.take(never);
});
