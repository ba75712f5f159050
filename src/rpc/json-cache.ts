import type { JsonRows } from '../http/json-rows.js';
import { EncodedJson } from '../util/json-writer.js';

/** Largest number of rows of a list that is cached: a few megabytes. */
const MAX_ROWS = 10_000;

/** Encoded lists by their source object; an entry is freed with its source. */
const CACHE = new WeakMap<object, EncodedJson>();

/**
 * Encodes a list as JSON at its first use, and returns the cached JSON afterwards. Streams a very long list each time.
 * @param source object that must be a new one whenever the rows change. @param count number of rows, or a greater
 * number.
 * @param open creates the rows. @returns undefined for an empty list.
 */
export async function cachedRows(
  source: object,
  count: number,
  open: () => JsonRows,
): Promise<EncodedJson | JsonRows | undefined> {
  if (count === 0) return undefined;
  const cached = CACHE.get(source);
  if (cached !== undefined) return cached;
  const rows = open();
  if (count > MAX_ROWS) return rows;
  try {
    const pieces: Uint8Array[] = [];
    for await (const page of rows.pages()) pieces.push(Buffer.from(pieces.length === 0 ? '[' : ','), ...page);
    if (pieces.length === 0) return undefined;
    const encoded = new EncodedJson([...pieces, Buffer.from(']')]);
    CACHE.set(source, encoded);
    return encoded;
  } finally {
    rows.release();
  }
}
