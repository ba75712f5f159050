import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { mergePages } from '../../src/util/paged.js';

interface Row {
  readonly key: number;
  readonly list: string;
}

async function* pagesOf(list: string, pages: readonly (readonly number[])[]): AsyncGenerator<readonly Row[]> {
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
        const both = mergePages(pagesOf('a', first), pagesOf('b', second), (b, a) => b.key < a.key);
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
