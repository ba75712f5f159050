import { JsonWriter, EncodedJson } from '../util/json-writer.js';
import type { Json } from '../util/json.js';

/** Rows of a list whose text is kept: a few megabytes. */
const MAX_ROWS = 10_000;

/** By list, for as long as somebody holds it. */
const WRITTEN = new WeakMap<readonly unknown[], EncodedJson>();

/**
 * JSON of a list that services keep while nothing changes: written when it is first asked for.
 * @param list the same value only where its rows come out the same. @returns undefined for an empty one.
 */
export async function writtenOnce<T>(
  list: readonly T[],
  rows: () => readonly Json[] | Promise<readonly Json[]>,
): Promise<EncodedJson | undefined> {
  if (list.length === 0) return undefined;
  const known = WRITTEN.get(list);
  if (known !== undefined) return known;
  const written = new EncodedJson(new JsonWriter().value(await rows()).pieces());
  if (list.length <= MAX_ROWS) WRITTEN.set(list, written);
  return written;
}
