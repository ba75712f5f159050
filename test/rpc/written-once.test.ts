import { expect, test } from '@jest/globals';
import { writtenOnce } from '../../src/rpc/written-once.js';
import { JsonWriter } from '../../src/util/json-writer.js';

test('the rows of a list are written once, those of an equal one anew', async () => {
  let asked = 0;
  const text = async (list: readonly number[]): Promise<string> => {
    const written = await writtenOnce(list, () => {
      asked += 1;
      return list.map((n) => ({ n: BigInt(n) }));
    });
    return new JsonWriter().value({ list: written }).toString();
  };
  const list = [1, 2];
  expect(await text(list)).toBe('{"list":[{"n":1},{"n":2}]}');
  expect(await text(list)).toBe('{"list":[{"n":1},{"n":2}]}');
  expect(asked).toBe(1);
  expect(await text([1, 2])).toBe('{"list":[{"n":1},{"n":2}]}');
  expect(asked).toBe(2);
  expect(await text([])).toBe('{}');
});

test('very long ones are not kept', async () => {
  const list = Array.from({ length: 10_001 }, (_, n) => n);
  const rows = (): bigint[] => list.map(BigInt);
  expect(await writtenOnce(list, rows)).not.toBe(await writtenOnce(list, rows));
});
