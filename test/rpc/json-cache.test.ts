import { expect, test } from '@jest/globals';
import { cachedJson } from '../../src/rpc/json-cache.js';
import { JsonWriter } from '../../src/util/json-writer.js';

test('encodes the rows of a list once, and those of an equal but other list again', async () => {
  let encodings = 0;
  const text = async (list: readonly number[]): Promise<string> => {
    const encoded = await cachedJson(list, () => {
      encodings += 1;
      return list.map((n) => ({ n: BigInt(n) }));
    });
    return new JsonWriter().value({ list: encoded }).toString();
  };
  const list = [1, 2];
  expect(await text(list)).toBe('{"list":[{"n":1},{"n":2}]}');
  expect(await text(list)).toBe('{"list":[{"n":1},{"n":2}]}');
  expect(encodings).toBe(1);
  expect(await text([1, 2])).toBe('{"list":[{"n":1},{"n":2}]}');
  expect(encodings).toBe(2);
  expect(await text([])).toBe('{}');
});

test('does not cache very long lists', async () => {
  const list = Array.from({ length: 10_001 }, (_, n) => n);
  const rows = (): bigint[] => list.map(BigInt);
  expect(await cachedJson(list, rows)).not.toBe(await cachedJson(list, rows));
});
