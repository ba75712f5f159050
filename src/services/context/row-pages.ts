import { yieldToEventLoop } from '../../util/event-loop.js';
import type { NumberRange } from '../../util/ranges.js';

/** Number of rows that one turn of the event loop searches. */
const SEARCHED_AT_ONCE = 5000;

/**
 * Searches rows by their numbers, the latest first, in slices between other work.
 * @param before number that the rows lie below. @param limit largest number of rows that are returned.
 * @param read returns the first rows of a range that match, the latest first.
 * @param between called after each pause; an error ends the search.
 */
export async function newestFirst<T>(
  before: number,
  limit: number,
  read: (range: NumberRange, limit: number) => readonly T[],
  between: () => void,
): Promise<T[]> {
  const found: T[] = [];
  for (let to = before; to > 1 && found.length < limit;) {
    if (to < before) {
      await yieldToEventLoop();
      between();
    }
    const from = Math.max(0, to - SEARCHED_AT_ONCE);
    found.push(...read({ from, to }, limit - found.length));
    to = from;
  }
  return found;
}

/** Number of rows that one turn of the event loop exports. */
const EXPORTED_AT_ONCE = 100;

/**
 * Reads rows by their numbers page by page, the oldest first, between other work.
 * @param read returns at most a number of rows above a number. @param between called after each pause.
 */
export async function* oldestFirst<T extends { readonly sequence: number }>(
  read: (above: number, limit: number) => readonly T[],
  between: () => void,
): AsyncGenerator<readonly T[]> {
  for (let last = 0; ;) {
    const page = read(last, EXPORTED_AT_ONCE);
    if (page.length > 0) yield page;
    const end = page.at(-1);
    if (end === undefined || page.length < EXPORTED_AT_ONCE) return;
    last = end.sequence;
    await yieldToEventLoop();
    between();
  }
}
