import { expect, test } from '@jest/globals';
import { cachedRows } from '../../../src/rpc/wire/rows.js';
import { EncodedJson, JsonWriter } from '../../../src/util/json-writer.js';
import type { Paged } from '../../../src/util/paged.js';

type Row = Readonly<Record<string, bigint | string>>;

/** A list in pages of two rows. */
class Rows {
  opened = 0;
  released = 0;
  read = 0;

  open(list: readonly Row[], skipped = 0): Paged<readonly Row[]> {
    this.opened += 1;
    const page = (at: number): readonly Row[] => {
      const rows = list.slice(at, at + 2);
      this.read += rows.length;
      return rows;
    };
    const pages = async function* () {
      for (let at = 2 * skipped; at < list.length; at += 2) yield await Promise.resolve(page(at));
    };
    return { pages: pages(), release: () => void (this.released += 1) };
  }
}

const numbered = (list: readonly number[]): Row[] => list.map((n) => ({ n: BigInt(n) }));

test('encodes the rows of a list once, and those of an equal but other list again', async () => {
  const rows = new Rows();
  const textOf = async (list: readonly Row[]): Promise<string> => {
    const encoded = await cachedRows(list, (skipped) => rows.open(list, skipped));
    return new JsonWriter().value({ list: encoded as EncodedJson | undefined }).toString();
  };
  const list = numbered([1, 2, 3]);
  for (let round = 0; round < 2; round++)
    expect(await textOf(list)).toBe('{"list":[{"n":1},{"n":2},{"n":3}]}');
  expect([rows.opened, rows.released]).toEqual([1, 1]);
  expect(await textOf(numbered([1]))).toBe('{"list":[{"n":1}]}');
  expect([rows.opened, rows.released]).toEqual([2, 2]);
  const none = numbered([]);
  for (let round = 0; round < 2; round++) expect(await textOf(none)).toBe('{}');
  expect([rows.opened, rows.released]).toEqual([3, 3]);
});

/** Pages of 200 kB. */
const LONG = Array.from({ length: 41 }, (_, n) => ({ n: BigInt(n), text: 'x'.repeat(100_000) }));

test('encodes the first megabytes of a long list once, and the rest each time', async () => {
  const rows = new Rows();
  for (let round = 0; round < 3; round++) {
    rows.read = 0;
    const found = await cachedRows(LONG, (skipped) => rows.open(LONG, skipped));
    if (found === undefined || found instanceof EncodedJson) throw new Error('a long list is streamed');
    const pages: string[] = [];
    for await (const page of found.pages()) {
      pages.push(Buffer.concat(page).toString());
      // The receiver may free them.
      for (const piece of page) piece.fill(0);
    }
    expect(JSON.parse(`[${pages.join()}]`)).toEqual(LONG.map(({ n, text }) => ({ n: Number(n), text })));
    expect(rows.released).toBe(round);
    found.release();
    expect([rows.opened, rows.released]).toEqual([round + 1, round + 1]);
    if (round === 0) expect(rows.read).toBe(LONG.length);
    else expect(rows.read).toBeLessThan(LONG.length - 15);
  }
});

test('releases a list that cannot be read, and reads it again the next time', async () => {
  const list = {};
  let released = 0;
  const failing = {
    // oxlint-disable-next-line require-yield
    pages: (async function* () {
      throw await Promise.resolve(new Error('closed'));
    })(),
    release: () => void (released += 1),
  };
  await expect(cachedRows(list, () => failing)).rejects.toThrow('closed');
  expect(released).toBe(1);
  const rows = new Rows();
  expect(await cachedRows(list, () => rows.open(numbered([1])))).toBeInstanceOf(EncodedJson);
});
