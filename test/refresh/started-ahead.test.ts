import { expect, test } from '@jest/globals';
import { startedAhead } from '../../src/refresh/started-ahead.js';

async function* numbers(count: number, log: string[], fail = false): AsyncGenerator<number, void, void> {
  try {
    for (let i = 1; i <= count; i++) {
      await Promise.resolve();
      yield i;
    }
    if (fail) throw new Error('the source ended badly');
  } finally {
    log.push('source closed');
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('work begins on one item ahead of the caller, no more', async () => {
  const log: string[] = [];
  const begin = (item: number) => {
    log.push(`began ${item}`);
    return { item };
  };
  for await (const { item } of startedAhead(numbers(4, log), begin)) {
    await settled();
    log.push(`took ${item}`);
  }
  expect(log).toEqual([
    'began 1',
    'began 2',
    'took 1',
    'began 3',
    'took 2',
    'began 4',
    'took 3',
    'source closed',
    'took 4',
  ]);
});

test('a caller that stops early closes the source, and work that cannot begin then troubles nobody', async () => {
  const log: string[] = [];
  const begin = (item: number) => {
    if (item > 1) throw new Error('cannot begin');
    return { item };
  };
  for await (const { item } of startedAhead(numbers(4, log), begin)) {
    await settled();
    log.push(`took ${item}`);
    break;
  }
  expect(log).toEqual(['took 1', 'source closed']);
});

test('what the source throws comes after what it gave', async () => {
  const log: string[] = [];
  const items = startedAhead(numbers(2, log, true), (item) => ({ item }));
  const taken: number[] = [];
  await expect(
    (async () => {
      for await (const { item } of items) taken.push(item);
    })(),
  ).rejects.toThrow('ended badly');
  expect(taken).toEqual([1, 2]);
});
