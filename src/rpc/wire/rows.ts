import { encodedRows, JsonRows, type EncodedRows } from '../../http/calls/json-rows.js';
import { totalLength } from '../../util/bytes.js';
import { EncodedJson, type Writable } from '../../util/json-writer.js';
import type { Json } from '../../util/json.js';
import { mapPages, pagesOf, unheld, type Paged } from '../../util/paged.js';

/** Converts pages of a long answer to JSON rows. */
export const rowsOf = <T>({ pages, release }: Paged<readonly T[]>, shape: (item: T) => Writable): JsonRows =>
  JsonRows.of({ pages: mapPages(pages, shape), release });

/** Number of items of a list that are converted to JSON between two yields to the event loop. */
const ITEMS_AT_ONCE = 1024;

/** Converts a list of any length to JSON rows, in parts if it is long. */
export const listedRows = <T, R extends Json>(
  list: readonly T[],
  shape: (item: T) => R,
): readonly R[] | JsonRows =>
  list.length <= ITEMS_AT_ONCE ? list.map(shape) : rowsOf(unheld(pagesOf(list, ITEMS_AT_ONCE)), shape);

/** Length of the kept pages of a list from which no further page is kept [bytes]: some 10,000 rows. */
const KEPT_BYTES = 2 << 20;

/** First pages of a list in JSON. */
interface KeptPages {
  readonly parts: readonly EncodedRows[];
  /** The whole list, if all of its pages are kept; undefined for an empty list. */
  readonly whole?: { readonly json: EncodedJson | undefined };
}

/** Kept pages by the source object of their list; an entry is freed with its source. */
const CACHE = new WeakMap<object, KeptPages>();

/**
 * Encodes a list as JSON. The first megabytes are encoded once for a source; only the rows after them are encoded each
 * time.
 * @param source object that must be replaced whenever the rows change.
 * @param open reads the rows, without the given number of pages at their beginning; only the last page may be empty.
 * @returns undefined for an empty list.
 */
export async function cachedRows(
  source: object,
  open: (skipped: number) => Paged<readonly Writable[]>,
): Promise<EncodedJson | JsonRows | undefined> {
  const known = CACHE.get(source);
  if (known?.whole !== undefined) return known.whole.json;
  const rows = open(known?.parts.filter(({ endsPage }) => endsPage).length ?? 0);
  const rest = encodedRows(rows.pages);
  if (known !== undefined) return continued(known.parts, rest, () => rows.release());
  try {
    const { parts, whole } = await firstParts(rest);
    const complete = parts.slice(0, parts.findLastIndex(({ endsPage }) => endsPage) + 1);
    CACHE.set(source, { parts: complete, ...(whole === undefined ? {} : { whole }) });
    if (whole === undefined) return continued(parts, rest, () => rows.release());
    rows.release();
    return whole.json;
  } catch (error) {
    rows.release();
    throw error;
  }
}

/** Reads rows until they have {@link KEPT_BYTES}, or the list ends. */
async function firstParts(rows: AsyncIterator<EncodedRows>): Promise<KeptPages> {
  const parts: EncodedRows[] = [];
  let length = 0;
  while (length < KEPT_BYTES) {
    const part = await rows.next();
    if (part.done === true) return { parts, whole: { json: listOf(parts) } };
    parts.push(part.value);
    length += totalLength(part.value.pieces);
  }
  return { parts };
}

function listOf(parts: readonly EncodedRows[]): EncodedJson | undefined {
  if (parts.length === 0) return undefined;
  const pieces = parts.flatMap((part, i) => [Buffer.from(i === 0 ? '[' : ','), ...part.pieces]);
  return new EncodedJson([...pieces, Buffer.from(']')]);
}

/** Returns rows whose first pages are kept; the others are read now. @param release frees the source of the others. */
const continued = (
  kept: KeptPages['parts'],
  rest: AsyncGenerator<EncodedRows>,
  release: () => void,
): JsonRows =>
  JsonRows.written({
    read: async function* (adapt) {
      if (adapt !== undefined) throw new Error('rows that are encoded already cannot be converted');
      // The pieces are copied, because the receiver may free their memory.
      for (const { pieces } of kept) yield pieces.map((piece) => new Uint8Array(piece));
      for await (const { pieces } of rest) yield pieces;
    },
    release,
  });
