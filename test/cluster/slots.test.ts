import { expect, test } from '@jest/globals';
import { Slots } from '../../src/cluster/slots.js';

test('slots are given in order, and to nobody that has stopped waiting', async () => {
  const slots = new Slots(1);
  expect(await slots.take(1000)).toBe(true);
  const order: string[] = [];
  const late = slots.take(1);
  const [first, second] = ['first', 'second'].map((name) => slots.take(60_000).then(() => order.push(name)));
  expect(await late).toBe(false);
  slots.give();
  await first;
  expect(order).toEqual(['first']);
  slots.give();
  await second;
  expect(order).toEqual(['first', 'second']);
  slots.give();
  expect(await slots.take(0)).toBe(true);
});
