import type { JsonRows } from '../http/json-rows.js';
import { totalLength } from '../util/bytes.js';
import { EncodedJson } from '../util/json-writer.js';

/** Length from which no further page of a list is kept [bytes]: some 10,000 rows. */
const KEPT_BYTES = 2 << 20;

/** First pages of a list in JSON. */
interface KeptPages {
  readonly pages: readonly (readonly Uint8Array[])[];
  /** The list, if these are all of its pages; undefined for an empty one. */
  readonly whole?: { readonly json: EncodedJson | undefined };
}

/** Kept pages by the source object of their list; an entry is freed with its source. */
const CACHE = new WeakMap<object, KeptPages>();

/**
 * Encodes a list as JSON. The first megabytes are encoded once for a source, and only what follows them each time.
 * @param source object that must be a new one whenever the rows change.
 * @param open creates the rows, without the given number of pages at their beginning; only the last page may be empty.
 * @returns undefined for an empty list.
 */
export async function cachedRows(
  source: object,
  open: (skipped: number) => JsonRows,
): Promise<EncodedJson | JsonRows | undefined> {
  const known = CACHE.get(source);
  if (known?.whole !== undefined) return known.whole.json;
  const rows = open(known?.pages.length ?? 0);
  const rest = rows.pages()[Symbol.asyncIterator]();
  if (known !== undefined) return new ContinuedRows(known.pages, rest, rows);
  try {
    const kept = await firstPages(rest);
    CACHE.set(source, kept);
    if (kept.whole === undefined) return new ContinuedRows(kept.pages, rest, rows);
    rows.release();
    return kept.whole.json;
  } catch (error) {
    rows.release();
    throw error;
  }
}

/** Reads pages until they have {@link KEPT_BYTES}, or the list ends. */
async function firstPages(rows: AsyncIterator<readonly Uint8Array[]>): Promise<KeptPages> {
  const pages: (readonly Uint8Array[])[] = [];
  let length = 0;
  while (length < KEPT_BYTES) {
    const page = await rows.next();
    if (page.done === true) return { pages, whole: { json: listOf(pages) } };
    pages.push(page.value);
    length += totalLength(page.value);
  }
  return { pages };
}

function listOf(pages: readonly (readonly Uint8Array[])[]): EncodedJson | undefined {
  if (pages.length === 0) return undefined;
  const pieces = pages.flatMap((page, i) => [Buffer.from(i === 0 ? '[' : ','), ...page]);
  return new EncodedJson([...pieces, Buffer.from(']')]);
}

/** Rows whose first pages are kept; the others are read now. */
class ContinuedRows implements JsonRows {
  readonly #kept: KeptPages['pages'];
  readonly #rest: AsyncIterator<readonly Uint8Array[]>;
  readonly #source: Pick<JsonRows, 'release'>;

  /** @param source rows that are released with these. */
  constructor(
    kept: KeptPages['pages'],
    rest: AsyncIterator<readonly Uint8Array[]>,
    source: Pick<JsonRows, 'release'>,
  ) {
    this.#kept = kept;
    this.#rest = rest;
    this.#source = source;
  }

  /** Refuses: the rows are encoded already, and the same in all API versions. @throws Error always. */
  map(): JsonRows {
    throw new Error('rows that are encoded already cannot be converted');
  }

  async *pages(): AsyncGenerator<readonly Uint8Array[]> {
    // The receiver may free the memory of what it receives.
    for (const page of this.#kept) yield page.map((piece) => new Uint8Array(piece));
    yield* { [Symbol.asyncIterator]: () => this.#rest };
  }

  release(): void {
    this.#source.release();
  }
}
