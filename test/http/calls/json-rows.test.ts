import { describe, expect, it } from '@jest/globals';
import {
  JsonRows,
  StreamedJson,
  streamedHex,
  streamedText,
  writeRows,
  type ListRules,
  type LongText,
} from '../../../src/http/calls/json-rows.js';
import type { Json } from '../../../src/util/json.js';
import { JsonWriter, type EncodedJson } from '../../../src/util/json-writer.js';
import { TURN_BYTES } from '../../../src/util/paged.js';
import { collected } from '../../support/values/collected.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';

async function* pagesOf(...pages: Json[][]): AsyncGenerator<Json[]> {
  for (const page of pages) yield await Promise.resolve(page);
}

const rows = (...pages: Json[][]): JsonRows =>
  JsonRows.of({ pages: pagesOf(...pages), release: () => undefined });

const written = async (result: Parameters<typeof writeRows>[0], rules?: ListRules): Promise<string> => {
  const done = await writeRows(result, undefined, rules);
  const whole = done instanceof StreamedJson ? await wholeOf(done) : done;
  return Buffer.concat(new JsonWriter().value(whole).pieces()).toString();
};

async function wholeOf(result: StreamedJson): Promise<EncodedJson> {
  const whole = await result.whole(Infinity);
  if (whole === undefined) throw new Error('the result is too long');
  return whole;
}

/** Two rows of this length reach the length from which results are streamed. */
const LONG = 'x'.repeat(1 << 19);

async function streamed(
  result: Parameters<typeof writeRows>[0],
  explain?: (error: unknown) => unknown,
): Promise<StreamedJson> {
  const done = await writeRows(result, explain);
  if (!(done instanceof StreamedJson)) throw new Error('the result was not streamed');
  return done;
}

describe('a list that comes in pages', () => {
  it('is written like any other', async () => {
    expect(await written({ a: 1, list: rows([{ x: 2n ** 64n - 1n }], [], ['b', 'ä']), z: [] })).toBe(
      '{"a":1,"list":[{"x":18446744073709551615},"b","ä"]}',
    );
  });

  it('is left out when it is empty', async () => {
    expect(await written({ list: rows([], []), other: rows() })).toBe('{}');
  });

  it('is written in parts, with other work between them, where the texts of one page are long', async () => {
    const texts = Array.from({ length: 6 }, (_, i) => String(i).repeat(TURN_BYTES));
    const turns = new EventLoopTurns();
    const parts = await collected(rows(texts).pages());
    expect(turns.stop()).toBeGreaterThanOrEqual(texts.length - 1);
    const list = parts.map((pieces) => Buffer.concat(pieces).toString());
    expect(list.map((part) => JSON.parse(`[${part}]`) as unknown)).toEqual(texts.map((text) => [text]));
  });

  it('is written with all lists in its rows, empty ones too, if the answer has empty lists', async () => {
    const result = { a: rows(), b: rows([], []).map((row) => row), c: rows([{ x: [] }], [1]), d: [] };
    expect(await written(result, { emptyLists: true })).toBe('{"a":[],"b":[],"c":[{"x":[]},1],"d":[]}');
    expect(await written({ d: [] }, { emptyLists: true })).toBe('{"d":[]}');
  });

  it('can be adapted row by row', async () => {
    const adapted = rows([1, 2], [3]).map((row) => ({ row }));
    expect(await written({ adapted: adapted.map((row) => [row]) })).toBe(
      '{"adapted":[[{"row":1}],[{"row":2}],[{"row":3}]]}',
    );
  });

  it('is released in every case', async () => {
    let released = 0;
    const failing = async function* (): AsyncGenerator<Json[]> {
      yield await Promise.resolve([1]);
      throw new Error('gone');
    };
    const release = (): void => void (released += 1);
    const result = {
      first: JsonRows.of({ pages: failing(), release }),
      second: JsonRows.of({ pages: pagesOf([1]), release }),
    };
    await expect(writeRows(result)).rejects.toThrow('gone');
    expect(released).toBe(2);
  });
});

describe('a text that comes in pages', () => {
  const text = (...parts: string[]): LongText =>
    JsonRows.text({
      pages: (async function* () {
        for (const part of parts) yield await Promise.resolve(part);
      })(),
      release: () => undefined,
    });

  it('is written as one string, with the same escapes as any text', async () => {
    const parts = ['a"\\', '', '\r\nä\u0001', '😀'];
    expect(await written({ a: 1, text: text(...parts), z: 2 })).toBe(
      JSON.stringify({ a: 1, text: parts.join(''), z: 2 }),
    );
  });

  it('is written when it is empty', async () => {
    expect(await written({ none: text(), empty: text('') })).toBe('{"empty":"","none":""}');
  });

  it('is streamed when it is long', async () => {
    const result = await streamed({ text: text(LONG, LONG, 'end') });
    expect(Buffer.concat((await wholeOf(result)).pieces).toString()).toBe(
      JSON.stringify({ text: `${LONG}${LONG}end` }),
    );
  });
});

describe('bytes in hex', () => {
  it('are one text, streamed when they are many', async () => {
    for (const length of [0, 3, 1 << 17, (1 << 17) + 1, 3 * (1 << 17), 1_000_000]) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 31) >> 3);
      const result = { a: 1, hex: streamedHex(bytes), z: 2 };
      const text = JSON.stringify({ a: 1, hex: Buffer.from(bytes).toString('hex'), z: 2 });
      expect((await written(result)) === text).toBe(true);
    }
    expect(await streamed({ hex: streamedHex(new Uint8Array(1_000_000)) })).toBeInstanceOf(StreamedJson);
  });
});

describe('a long result', () => {
  it('has the same text as a short one', async () => {
    const list = [[LONG, 1], [], [LONG], [LONG, 2], ['end']];
    const result = { a: 1, list: rows(...list), more: rows([3], [4]), none: rows([]), z: 'z' };
    expect(await streamed(result)).toBeInstanceOf(StreamedJson);
    const again = { a: 1, list: rows(...list), more: rows([3], [4]), none: rows([]), z: 'z' };
    expect(await written(again)).toBe(JSON.stringify({ a: 1, list: list.flat(), more: [3, 4], z: 'z' }));
  });

  it.each([100, 21_840, 65_532, 65_533, 65_534, 65_535, 100_000])(
    'has no two short pieces in a row, and no joined one far beyond 64 KiB, for rows of %i characters',
    async (length) => {
      const list = Array.from({ length: Math.ceil(2_000_000 / (length + 3)) }, () => 'x'.repeat(length));
      const { pieces = [] } =
        (await (await streamed({ list: rows(...list.map((row) => [row])) })).whole(Infinity)) ?? {};
      expect(Buffer.concat(pieces).toString() === JSON.stringify({ list })).toBe(true);
      const pairs = pieces.slice(1).map((piece, i) => piece.length + (pieces[i]?.length ?? 0));
      expect(Math.min(...pairs)).toBeGreaterThanOrEqual(1 << 16);
      // Each is passed on once it is long enough.
      const most = (1 << 16) + length + 3;
      expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(most);
    },
  );

  it.each([(1 << 16) - 1, 1 << 16])(
    'is made of pieces of 64 KiB without a copy, and of shorter ones with one: %i bytes',
    async (length) => {
      const piece = Buffer.alloc(length, 'x');
      const list = JsonRows.written({
        read: async function* () {
          for (let i = 0; i < 20; i++) yield await Promise.resolve([piece]);
        },
        release: () => undefined,
      });
      const { pieces = [] } = (await (await streamed({ list })).whole(Infinity)) ?? {};
      expect(pieces.includes(piece)).toBe(length === 1 << 16);
    },
  );

  it('begins before its later pages are read', async () => {
    let read = 0;
    const counted = async function* (): AsyncGenerator<Json[]> {
      for (; read < 10; read++) yield await Promise.resolve([LONG]);
    };
    const result = await streamed({ list: JsonRows.of({ pages: counted(), release: () => undefined }) });
    const before = read;
    expect(before).toBeLessThan(4);
    const { pieces } = await wholeOf(result);
    expect(read).toBe(10);
    expect(Buffer.concat(pieces)).toHaveLength('{"list":['.length + 10 * (LONG.length + 2) + 9 + ']}'.length);
  });

  it('is not read further than to a given length', async () => {
    let released = 0;
    const list = (): JsonRows =>
      JsonRows.of({ pages: pagesOf([LONG], [LONG], [LONG]), release: () => void (released += 1) });
    const text = JSON.stringify({ list: [LONG, LONG, LONG] });
    expect(await (await streamed({ list: list() })).whole(text.length - 1)).toBeUndefined();
    expect(released).toBe(1);
    const whole = await (await streamed({ list: list() })).whole(text.length);
    expect(Buffer.concat(whole?.pieces ?? []).toString() === text).toBe(true);
  });

  it('releases its sources when its reader stops, before the first streamed page too', async () => {
    for (const pages of [1, 2]) {
      let released = 0;
      const list = JsonRows.of({
        pages: pagesOf([LONG], [LONG], [LONG], [LONG]),
        release: () => void (released += 1),
      });
      let read = 0;
      for await (const page of await streamed({ list })) {
        expect(page.length).toBeGreaterThan(0);
        if (++read === pages) break;
      }
      expect(released).toBe(1);
    }
  });

  it('converts a later error with the function of its method', async () => {
    let released = 0;
    const failing = async function* (): AsyncGenerator<Json[]> {
      for (let page = 0; page < 4; page++) yield await Promise.resolve([LONG]);
      throw new Error('gone');
    };
    const result = await streamed(
      { list: JsonRows.of({ pages: failing(), release: () => void (released += 1) }) },
      (error) => new Error(`explained: ${String(error)}`),
    );
    await expect(wholeOf(result)).rejects.toThrow('explained: Error: gone');
    expect(released).toBe(1);
  });
});

describe('a long text', () => {
  it('is written as one text, divided between its characters', async () => {
    const text = `a${'\u{1f600}'.repeat(1 << 17)}"\n`;
    expect(JSON.parse(await written({ text: streamedText(text) }))).toEqual({ text });
  });

  it('is not divided if it is short', () => {
    expect(streamedText('short')).toBe('short');
  });
});
