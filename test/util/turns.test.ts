import { expect, test } from '@jest/globals';
import { Turns } from '../../src/util/turns.js';

test('items are handled in order, one a turn of the event loop, late comers too', async () => {
  const seen: string[] = [];
  const turns = new Turns<number>((item) => {
    seen.push(`item ${item}`);
    if (item === 2) turns.add(4);
  });
  for (const item of [1, 2, 3]) turns.add(item);
  expect(seen).toEqual([]);
  for (let turn = 0; turn < 6; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push('turn');
  }
  expect(seen.filter((entry) => entry !== 'turn')).toEqual(['item 1', 'item 2', 'item 3', 'item 4']);
  for (const [i, entry] of seen.entries()) if (entry !== 'turn' && i > 0) expect(seen[i - 1]).toBe('turn');
  turns.add(5);
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen.at(-1)).toBe('item 5');
});
