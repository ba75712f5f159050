import { expect, test } from '@jest/globals';
import { ListedRows } from '../../src/http/json-rows.js';
import { cachedRows } from '../../src/rpc/json-cache.js';
import { type EncodedJson, JsonWriter } from '../../src/util/json-writer.js';

/** Rows `{"n":…}` in pages of two. */
class Rows {
  opened = 0;
  released = 0;

  open(list: readonly number[]): ListedRows {
    this.opened += 1;
    const pages = async function* () {
      for (let at = 0; at < list.length; at += 2)
        yield await Promise.resolve(list.slice(at, at + 2).map((n) => ({ n: BigInt(n) })));
    };
    return new ListedRows(pages(), () => void (this.released += 1));
  }
}

test('encodes the rows of a list once, and those of an equal but other list again', async () => {
  const rows = new Rows();
  const textOf = async (list: readonly number[]): Promise<string> => {
    const encoded = await cachedRows(list, list.length, () => rows.open(list));
    return new JsonWriter().value({ list: encoded as EncodedJson | undefined }).toString();
  };
  const list = [1, 2, 3];
  for (let round = 0; round < 2; round++)
    expect(await textOf(list)).toBe('{"list":[{"n":1},{"n":2},{"n":3}]}');
  expect([rows.opened, rows.released]).toEqual([1, 1]);
  expect(await textOf([1])).toBe('{"list":[{"n":1}]}');
  expect([rows.opened, rows.released]).toEqual([2, 2]);
  expect(await textOf([])).toBe('{}');
  expect(rows.opened).toBe(2);
});

test('leaves out a list that turns out to be empty', async () => {
  expect(await cachedRows({}, 1, () => new Rows().open([]))).toBeUndefined();
});

test('streams a very long list each time, and leaves its release to the reader', async () => {
  const rows = new Rows();
  const list = Array.from({ length: 10_001 }, (_, n) => n);
  const read = () => cachedRows(list, list.length, () => rows.open(list));
  expect(await read()).not.toBe(await read());
  expect([rows.opened, rows.released]).toEqual([2, 0]);
});
