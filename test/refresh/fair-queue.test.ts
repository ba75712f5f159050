import { beforeEach, describe, expect, it, test } from '@jest/globals';
import { PendingRequests } from '../../src/util/pending-requests.js';
import { FairQueue } from '../../src/refresh/fair-queue.js';
import { turns } from '../support/fakes/event-loop-turns.js';
import { withFakeTimeouts } from '../support/fakes/fake-timeouts.js';

const canWait = (): boolean => true;

test('items of one owner are handled in order, with turns of the event loop in between', async () => {
  const seen: string[] = [];
  const queue = new FairQueue<number>({
    handle: (item) => {
      seen.push(`item ${item}`);
      if (item === 2) queue.add(1, 4);
    },
    pendingRequests: new PendingRequests(),
    canWait,
  });
  for (const item of [1, 2, 3]) queue.add(1, item);
  expect(seen).toEqual([]);
  for (let turn = 0; turn < 20; turn++) {
    await turns(1);
    seen.push('turn');
  }
  expect(seen.filter((entry) => entry !== 'turn')).toEqual(['item 1', 'item 2', 'item 3', 'item 4']);
  const places = seen.flatMap((entry, i) => (entry === 'turn' ? [] : [i]));
  for (const [n, place] of places.entries()) expect(place - (places[n - 1] ?? -1)).toBeGreaterThan(2);
  queue.add(1, 5);
  await turns(4);
  expect(seen.at(-1)).toBe('item 5');
});

describe('while requests are pending', () => {
  let seen: number[];
  let pendingRequests: PendingRequests;
  let leave: () => void;
  let queue: FairQueue<number>;

  beforeEach(() => {
    seen = [];
    pendingRequests = new PendingRequests(() => 0);
    leave = pendingRequests.begin();
    queue = new FairQueue<number>({
      handle: (item) => seen.push(item),
      pendingRequests,
      canWait: (item) => item < 10,
    });
  });

  it('items that can wait do', () =>
    withFakeTimeouts(async () => {
      queue.add(1, 1);
      queue.add(1, 2);
      await turns(6);
      expect(seen).toEqual([]);
      leave();
      expect(seen).toEqual([1]);
      await turns(4);
      expect(seen).toEqual([1, 2]);
    }));

  it('an item that cannot wait does not, nor do those before it', async () => {
    queue.add(1, 1);
    queue.add(1, 10);
    await turns(8);
    expect(seen).toEqual([1, 10]);
  });

  it('a wait ends with an item that cannot wait, and those before it go first', () =>
    withFakeTimeouts(async () => {
      queue.add(1, 1);
      await turns(4);
      expect(seen).toEqual([]);
      queue.add(1, 10);
      expect(seen).toEqual([1]);
      await turns(4);
      expect(seen).toEqual([1, 10]);
      leave();
      expect(seen).toEqual([1, 10]);
    }));

  it('items have their turn where that never ends', async () => {
    await new Promise<void>((resolve) => {
      queue = new FairQueue<number>({
        handle: (item) => {
          seen.push(item);
          if (item === 3) resolve();
        },
        pendingRequests,
        canWait,
      });
      for (const item of [1, 2, 3]) queue.add(1, item);
    });
    expect(seen).toEqual([1, 2, 3]);
  });
});

describe('items of several owners', () => {
  it('take turns: a thousand items of one owner hold up no other', async () => {
    const seen: number[] = [];
    const queue = new FairQueue<number>({
      handle: (item) => seen.push(item),
      pendingRequests: new PendingRequests(),
      canWait,
    });
    for (let i = 0; i < 1000; i++) queue.add(1, 1);
    queue.add(2, 2);
    queue.add(3, 3);
    queue.add(2, 2);
    await turns(30);
    expect(seen.slice(0, 6)).toEqual([1, 2, 3, 1, 2, 1]);
  });

  it('that cannot wait get every second turn', async () => {
    const seen: number[] = [];
    const queue = new FairQueue<number>({
      handle: (item) => seen.push(item),
      pendingRequests: new PendingRequests(),
      canWait: (item) => item < 100,
    });
    for (let owner = 1; owner < 50; owner++) queue.add(owner, owner);
    queue.add(60, 60);
    for (let i = 0; i < 3; i++) queue.add(60, 100 + i);
    await turns(30);
    expect(seen.slice(0, 8)).toEqual([60, 1, 100, 2, 101, 3, 102, 4]);
  });

  it('that cannot wait do not keep the others from their turns', async () => {
    const seen: number[] = [];
    const queue = new FairQueue<number>({
      handle: (item) => seen.push(item),
      pendingRequests: new PendingRequests(),
      canWait: (item) => item < 100,
    });
    for (let i = 0; i < 100; i++) queue.add(1, 100);
    queue.add(2, 2);
    await turns(10);
    expect(seen).toContain(2);
  });
});
