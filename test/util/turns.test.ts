import { expect, test } from '@jest/globals';
import { Turns } from '../../src/util/turns.js';

test('items are handled in order, late comers too, and others have turns in between', async () => {
  const seen: string[] = [];
  const turns = new Turns<number>((item) => {
    seen.push(`item ${item}`);
    if (item === 2) turns.add(4);
  });
  for (const item of [1, 2, 3]) turns.add(item);
  expect(seen).toEqual([]);
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push('turn');
  }
  expect(seen.filter((entry) => entry !== 'turn')).toEqual(['item 1', 'item 2', 'item 3', 'item 4']);
  const places = seen.flatMap((entry, i) => (entry === 'turn' ? [] : [i]));
  for (const [n, place] of places.entries()) expect(place - (places[n - 1] ?? -1)).toBeGreaterThan(2);
  turns.add(5);
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(seen.at(-1)).toBe('item 5');
});
