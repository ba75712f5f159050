import { yieldToEventLoop } from './event-loop.js';

/** Long list that is read page by page, from a source that must be released. */
export interface Paged<Page> {
  readonly pages: AsyncIterable<Page>;
  /** Frees the source, after which no page can be read. */
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

/** Share of texts that is read or written in one turn of the event loop [bytes]: a few milliseconds of work. */
export const TURN_BYTES = 1 << 18;

/** Part of a list, from `start` up to but not including `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Divides a list by the number of its items and by the length of their texts, which may be megabytes in a store of an
 * earlier version. A part has at most `most` items, and texts of at most {@link TURN_BYTES} unless it is one item.
 * @param bytesOf measures the texts of a part without reading them [bytes].
 */
export function* spansOf(count: number, most: number, bytesOf: (span: Span) => number): Generator<Span> {
  for (let start = 0; start < count;) {
    let end = Math.min(count, start + most);
    while (end - start > 1 && bytesOf({ start, end }) > TURN_BYTES) end = start + ((end - start) >> 1);
    yield { start, end };
    start = end;
  }
}

/**
 * Divides a list as {@link spansOf}, and yields to the event loop between the pages.
 * @param bytesOf measures the texts of a part [bytes]; absent: the list is divided by the number of its items alone.
 */
export async function* pagesOf<T>(
  list: readonly T[],
  most: number,
  bytesOf?: (part: readonly T[]) => number,
): AsyncGenerator<readonly T[]> {
  const weigh = ({ start, end }: Span): number => bytesOf?.(list.slice(start, end)) ?? 0;
  for (const { start, end } of spansOf(list.length, most, weigh)) {
    if (start > 0) await yieldToEventLoop();
    yield list.slice(start, end);
  }
}

/** Converts each item in each page with the same function. */
export async function* mapPages<T, R>(
  pages: AsyncIterable<readonly T[]>,
  shape: (item: T) => R,
): AsyncGenerator<readonly R[]> {
  for await (const page of pages) yield page.map(shape);
}

/** Reads a list in pages, row by row. */
class RowCursor<T> {
  readonly #pages: AsyncIterator<readonly T[]>;
  #page: readonly T[] = [];
  #next = 0;

  constructor(pages: AsyncIterable<readonly T[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  /** Next row of the current page; undefined at its end, and at the end of the list after {@link fill}. */
  get row(): T | undefined {
    return this.#page[this.#next];
  }

  /** Reads the next page with rows, unless the current page has rows left. */
  async fill(): Promise<void> {
    while (this.row === undefined) {
      const { done, value } = await this.#pages.next();
      if (done === true) return;
      this.#page = value as readonly T[];
      this.#next = 0;
    }
  }

  skip(): void {
    this.#next += 1;
  }

  /** Takes the rest of the current page. */
  rest(): readonly T[] {
    const rows = this.#page.slice(this.#next);
    this.#next = this.#page.length;
    return rows;
  }
}

/**
 * Merges two ordered lists into one. @param isBefore true if a row of the second list stands before a row of the first
 * list. No page of the result is empty.
 */
export async function* mergePages<T extends object>(
  first: AsyncIterable<readonly T[]>,
  second: AsyncIterable<readonly T[]>,
  isBefore: (b: T, a: T) => boolean,
): AsyncGenerator<readonly T[]> {
  const [a, b] = [new RowCursor(first), new RowCursor(second)];
  for (;;) {
    await a.fill();
    await b.fill();
    const merged: T[] = [];
    // One of the lists is at its end: the rest of the other list follows.
    if (a.row === undefined) merged.push(...b.rest());
    else if (b.row === undefined) merged.push(...a.rest());
    while (a.row !== undefined && b.row !== undefined) {
      const isSecond = isBefore(b.row, a.row);
      merged.push(isSecond ? b.row : a.row);
      (isSecond ? b : a).skip();
    }
    if (merged.length === 0) return;
    yield merged;
  }
}
