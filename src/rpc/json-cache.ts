import { JsonWriter, EncodedJson } from '../util/json-writer.js';
import type { Json } from '../util/json.js';

/** Rows of the longest list that is cached: a few megabytes. */
const MAX_ROWS = 10_000;

/** Encoded lists by identity; an entry is dropped with its list. */
const CACHE = new WeakMap<readonly unknown[], EncodedJson>();

/**
 * Encodes a list as JSON on its first use, and returns the cached JSON afterwards.
 * @param list must be a new object whenever its rows change. @returns undefined for an empty list.
 */
export async function cachedJson<T>(
  list: readonly T[],
  rows: () => readonly Json[] | Promise<readonly Json[]>,
): Promise<EncodedJson | undefined> {
  if (list.length === 0) return undefined;
  const cached = CACHE.get(list);
  if (cached !== undefined) return cached;
  const encoded = new EncodedJson(new JsonWriter().value(await rows()).pieces());
  if (list.length <= MAX_ROWS) CACHE.set(list, encoded);
  return encoded;
}
