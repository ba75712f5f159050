import { describe, expect, it } from '@jest/globals';
import { ListedRows, writeRows, type JsonRows } from '../../src/jsonrpc/json-rows.js';
import type { Json } from '../../src/util/json.js';
import { JsonWriter } from '../../src/util/json-writer.js';

async function* pagesOf(...pages: Json[][]): AsyncGenerator<Json[]> {
  for (const page of pages) yield await Promise.resolve(page);
}

const rows = (...pages: Json[][]): JsonRows => new ListedRows(pagesOf(...pages), () => undefined);

const written = async (result: Parameters<typeof writeRows>[0]): Promise<string> =>
  Buffer.concat(new JsonWriter().value(await writeRows(result)).pieces()).toString();

describe('a list that comes in pages', () => {
  it('is written as any other', async () => {
    expect(await written({ a: 1, list: rows([{ x: 2n ** 64n - 1n }], [], ['b', 'ä']), z: [] })).toBe(
      '{"a":1,"list":[{"x":18446744073709551615},"b","ä"]}',
    );
  });

  it('is left out when it is empty', async () => {
    expect(await written({ list: rows([], []), other: rows() })).toBe('{}');
  });

  it('can be adapted row by row', async () => {
    const adapted = rows([1, 2], [3]).map((row) => ({ row }));
    expect(await written({ adapted: adapted.map((row) => [row]) })).toBe(
      '{"adapted":[[{"row":1}],[{"row":2}],[{"row":3}]]}',
    );
  });

  it('is let go of whatever happens', async () => {
    let released = 0;
    const failing = async function* (): AsyncGenerator<Json[]> {
      yield await Promise.resolve([1]);
      throw new Error('gone');
    };
    const release = (): void => void (released += 1);
    const result = {
      first: new ListedRows(failing(), release),
      second: new ListedRows(pagesOf([1]), release),
    };
    await expect(writeRows(result)).rejects.toThrow('gone');
    expect(released).toBe(2);
  });
});
