import { yieldToEventLoop } from './event-loop.js';

/** Long list that is read page by page, from a source that must be released. */
export interface Paged<Page> {
  readonly pages: AsyncIterable<Page>;
  /** Frees the source; no page can be read afterwards. */
  release(): void;
}

/** Returns a paged list whose source needs no release. */
export const unheld = <Page>(pages: AsyncIterable<Page>): Paged<Page> => ({
  pages,
  release: () => undefined,
});

/** Yields one page. */
export async function* singlePage<Page>(page: Page): AsyncGenerator<Page> {
  yield await Promise.resolve(page);
}

/** Splits a list into pages, and yields to the event loop between them. */
export async function* pagesOf<T>(list: readonly T[], size: number): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < list.length; start += size) {
    if (start > 0) await yieldToEventLoop();
    yield list.slice(start, start + size);
  }
}

/** Converts each item in each page with the same function. */
export async function* mapPages<T, R>(
  pages: AsyncIterable<readonly T[]>,
  shape: (item: T) => R,
): AsyncGenerator<readonly R[]> {
  for await (const page of pages) yield page.map(shape);
}
