import { beforeEach, describe, expect, it, test } from '@jest/globals';
import { Callers } from '../../src/util/callers.js';
import { Turns } from '../../src/util/turns.js';

const turnsOf = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const canWait = (): boolean => true;

test('items are handled in order, late comers too, and others have turns in between', async () => {
  const seen: string[] = [];
  const turns = new Turns<number>({
    handle: (item) => {
      seen.push(`item ${item}`);
      if (item === 2) turns.add(4);
    },
    callers: new Callers(),
    canWait,
  });
  for (const item of [1, 2, 3]) turns.add(item);
  expect(seen).toEqual([]);
  for (let turn = 0; turn < 20; turn++) {
    await turnsOf(1);
    seen.push('turn');
  }
  expect(seen.filter((entry) => entry !== 'turn')).toEqual(['item 1', 'item 2', 'item 3', 'item 4']);
  const places = seen.flatMap((entry, i) => (entry === 'turn' ? [] : [i]));
  for (const [n, place] of places.entries()) expect(place - (places[n - 1] ?? -1)).toBeGreaterThan(2);
  turns.add(5);
  await turnsOf(4);
  expect(seen.at(-1)).toBe('item 5');
});

describe('while somebody waits for an answer', () => {
  let seen: number[];
  let callers: Callers;
  let leave: () => void;
  let turns: Turns<number>;

  beforeEach(() => {
    seen = [];
    callers = new Callers(() => 0);
    leave = callers.arrive();
    turns = new Turns<number>({ handle: (item) => seen.push(item), callers, canWait: (item) => item < 10 });
  });

  it('items that can wait do', async () => {
    turns.add(1);
    turns.add(2);
    await turnsOf(6);
    expect(seen).toEqual([]);
    leave();
    expect(seen).toEqual([1]);
    await turnsOf(4);
    expect(seen).toEqual([1, 2]);
  });

  it('an item that cannot wait does not, nor do those before it', async () => {
    turns.add(1);
    turns.add(10);
    await turnsOf(8);
    expect(seen).toEqual([1, 10]);
  });

  it('a wait ends with an item that cannot wait, and those before it go first', async () => {
    turns.add(1);
    await turnsOf(4);
    expect(seen).toEqual([]);
    turns.add(10);
    expect(seen).toEqual([1]);
    await turnsOf(4);
    expect(seen).toEqual([1, 10]);
    leave();
    expect(seen).toEqual([1, 10]);
  });

  it('items have their turn where that never ends', async () => {
    await new Promise<void>((resolve) => {
      turns = new Turns<number>({
        handle: (item) => {
          seen.push(item);
          if (item === 3) resolve();
        },
        callers,
        canWait,
      });
      for (const item of [1, 2, 3]) turns.add(item);
    });
    expect(seen).toEqual([1, 2, 3]);
  });
});
