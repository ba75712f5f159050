import { beforeEach, describe, expect, it, test } from '@jest/globals';
import { PendingRequests } from '../../src/util/pending-requests.js';
import { FairQueue } from '../../src/util/fair-queue.js';

const turnsOf = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const canWait = (): boolean => true;

test('handles items in order, late ones too, with turns of the event loop in between', async () => {
  const seen: string[] = [];
  const queue = new FairQueue<number>({
    handle: (item) => {
      seen.push(`item ${item}`);
      if (item === 2) queue.add(4);
    },
    pendingRequests: new PendingRequests(),
    canWait,
  });
  for (const item of [1, 2, 3]) queue.add(item);
  expect(seen).toEqual([]);
  for (let turn = 0; turn < 20; turn++) {
    await turnsOf(1);
    seen.push('turn');
  }
  expect(seen.filter((entry) => entry !== 'turn')).toEqual(['item 1', 'item 2', 'item 3', 'item 4']);
  const places = seen.flatMap((entry, i) => (entry === 'turn' ? [] : [i]));
  for (const [n, place] of places.entries()) expect(place - (places[n - 1] ?? -1)).toBeGreaterThan(2);
  queue.add(5);
  await turnsOf(4);
  expect(seen.at(-1)).toBe('item 5');
});

describe('while a request is pending', () => {
  let seen: number[];
  let pendingRequests: PendingRequests;
  let end: () => void;
  let queue: FairQueue<number>;

  beforeEach(() => {
    seen = [];
    pendingRequests = new PendingRequests(() => 0);
    end = pendingRequests.begin();
    queue = new FairQueue<number>({
      handle: (item) => seen.push(item),
      pendingRequests,
      canWait: (item) => item < 10,
    });
  });

  it('defers items that can wait', async () => {
    queue.add(1);
    queue.add(2);
    await turnsOf(6);
    expect(seen).toEqual([]);
    end();
    expect(seen).toEqual([1]);
    await turnsOf(4);
    expect(seen).toEqual([1, 2]);
  });

  it('defers neither an item that cannot wait nor the items before it', async () => {
    queue.add(1);
    queue.add(10);
    await turnsOf(8);
    expect(seen).toEqual([1, 10]);
  });

  it('ends the deferral when an item arrives that cannot wait, and handles earlier items first', async () => {
    queue.add(1);
    await turnsOf(4);
    expect(seen).toEqual([]);
    queue.add(10);
    expect(seen).toEqual([1]);
    await turnsOf(4);
    expect(seen).toEqual([1, 10]);
    end();
    expect(seen).toEqual([1, 10]);
  });

  it('handles items that can wait even if the request never ends', async () => {
    await new Promise<void>((resolve) => {
      queue = new FairQueue<number>({
        handle: (item) => {
          seen.push(item);
          if (item === 3) resolve();
        },
        pendingRequests,
        canWait,
      });
      for (const item of [1, 2, 3]) queue.add(item);
    });
    expect(seen).toEqual([1, 2, 3]);
  });
});
