import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { mergePages, pagesOf, spansOf, TURN_BYTES } from '../../src/util/paged.js';
import { collected } from '../support/values/collected.js';
import { EventLoopTurns } from '../support/fakes/event-loop-turns.js';

interface Row {
  readonly key: number;
  readonly list: string;
}

async function* rowPages(
  list: string,
  pages: readonly (readonly number[])[],
): AsyncGenerator<readonly Row[]> {
  for (const page of pages) yield await Promise.resolve(page.map((key) => ({ key, list })));
}

/** Cuts a sorted list into pages. */
const pages = fc.tuple(fc.array(fc.nat(20)), fc.array(fc.nat(4))).map(([keys, sizes]) => {
  const sorted = [...keys].sort((a, b) => a - b);
  const cut = sizes.map((size) => sorted.splice(0, size));
  return [...cut, sorted];
});

describe('two ordered lists in pages', () => {
  it('are merged into one in the same order, the first list before the second at equal rows', async () => {
    await fc.assert(
      fc.asyncProperty(pages, pages, async (first, second) => {
        const merged: Row[] = [];
        const both = mergePages(rowPages('a', first), rowPages('b', second), (b, a) => b.key < a.key);
        for await (const page of both) {
          expect(page).not.toEqual([]);
          merged.push(...page);
        }
        const rows = [
          ...first.flat().map((key) => ({ key, list: 'a' })),
          ...second.flat().map((key) => ({ key, list: 'b' })),
        ];
        expect(merged).toEqual(rows.sort((a, b) => a.key - b.key || (a.list < b.list ? -1 : 1)));
      }),
    );
  });
});

describe('a list with texts of any length', () => {
  it('is divided into parts that have few items and few bytes, or one item', () => {
    const length = fc.oneof(fc.nat(100), fc.nat(2 * TURN_BYTES));
    fc.assert(
      fc.property(fc.array(length), fc.integer({ min: 1, max: 8 }), (lengths, most) => {
        const bytesOf = ({ start, end }: { start: number; end: number }): number =>
          lengths.slice(start, end).reduce((sum, bytes) => sum + bytes, 0);
        let next = 0;
        for (const span of spansOf(lengths.length, most, bytesOf)) {
          const count = span.end - span.start;
          expect([span.start, count > 0, count <= most]).toEqual([next, true, true]);
          expect(count === 1 || bytesOf(span) <= TURN_BYTES).toBe(true);
          next = span.end;
        }
        expect(next).toBe(lengths.length);
      }),
    );
  });

  it('is read with other work between the pages', async () => {
    const turns = new EventLoopTurns();
    const pages = await collected(pagesOf([1, 2, 3, 4], 4, (part) => part.length * TURN_BYTES));
    expect(pages).toEqual([[1], [2], [3], [4]]);
    expect(turns.stop()).toBeGreaterThanOrEqual(3);
  });
});
