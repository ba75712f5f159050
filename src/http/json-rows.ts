import type { Json } from '../util/json.js';
import { markReleasable } from '../util/buffer-release.js';
import { alphabeticalKeys, EncodedJson, JsonWriter, type Writable } from '../util/json-writer.js';

/** List of an answer that is read page by page; other work goes on between pages. */
export interface JsonRows {
  /** Converts the rows, for another API version. @param adapt gets each row, or the template of all rows. */
  map(adapt: (row: Json) => Json): JsonRows;
  /** JSON of the rows of each page, separated by commas; no page is empty. The receiver may release the pieces. */
  pages(): AsyncIterable<readonly Uint8Array[]>;
  /** Releases the source of the rows. */
  release(): void;
}

/** Rows that are JSON values. */
export class ListedRows implements JsonRows {
  readonly #pages: AsyncIterable<readonly Json[]>;
  readonly #release: () => void;

  constructor(pages: AsyncIterable<readonly Json[]>, release: () => void) {
    this.#pages = pages;
    this.#release = release;
  }

  map(adapt: (row: Json) => Json): JsonRows {
    const pages = this.#pages;
    const adapted = async function* (): AsyncGenerator<readonly Json[]> {
      for await (const page of pages) yield page.map(adapt);
    };
    return new ListedRows(adapted(), this.#release);
  }

  async *pages(): AsyncGenerator<readonly Uint8Array[]> {
    for await (const page of this.#pages) {
      if (page.length === 0) continue;
      const w = new JsonWriter();
      page.forEach((row, i) => w.raw(i === 0 ? '' : ',').value(row));
      yield w.pieces();
    }
  }

  release(): void {
    this.#release();
  }
}

/** Result of a method in which lists may come in pages and parts may be encoded already. */
export type PagedResult = { readonly [key: string]: Part | undefined };

type Part = Json | JsonRows | EncodedJson;

const isRows = (value: Part | undefined): value is JsonRows =>
  typeof value === 'object' && value !== null && 'pages' in value && typeof value.pages === 'function';

const hasRows = (result: PagedResult): boolean => Object.values(result).some(isRows);

/** A streamed JSON result; the receiver must consume it or release it. */
export class StreamedJson implements AsyncIterable<readonly Uint8Array[]> {
  readonly #begun: readonly Uint8Array[];
  readonly #rest: AsyncGenerator<readonly Uint8Array[], void>;
  readonly #explain: (error: unknown) => unknown;

  constructor(
    begun: readonly Uint8Array[],
    rest: AsyncGenerator<readonly Uint8Array[], void>,
    explain: (error: unknown) => unknown,
  ) {
    this.#begun = begun;
    this.#rest = rest;
    this.#explain = explain;
  }

  /** Can be called once only. Ending the iteration early releases the sources of the remaining rows. */
  [Symbol.asyncIterator](): AsyncIterator<readonly Uint8Array[], void> {
    let begun: readonly Uint8Array[] | undefined = this.#begun;
    return {
      next: async () => {
        if (begun !== undefined) {
          const value = begun;
          begun = undefined;
          return { value };
        }
        try {
          return await this.#rest.next();
        } catch (error) {
          throw this.#explain(error);
        }
      },
      return: () => this.#rest.return(),
    };
  }

  /** Reads the complete result. */
  async whole(): Promise<EncodedJson> {
    const pieces: Uint8Array[] = [];
    for await (const page of this) pieces.push(...page);
    return new EncodedJson(pieces);
  }
}

/** Length from which a result is streamed [bytes]: reading so much takes a few milliseconds. */
const STREAMED_FROM = 1 << 20;

/**
 * Writes a result with lists that come in pages; empty lists are left out as everywhere. A short result is read to its
 * end first, so that an error can still be answered.
 * @param explain converts an error that occurs while the result is streamed.
 */
export async function writeRows(
  result: PagedResult,
  explain: (error: unknown) => unknown = (error) => error,
): Promise<Writable | StreamedJson> {
  if (!hasRows(result)) return result as Writable;
  const pages = encodedPages(result);
  const begun: Uint8Array[] = [];
  let length = 0;
  while (length < STREAMED_FROM) {
    const page = await pages.next();
    if (page.done === true) return new EncodedJson(begun);
    begun.push(...page.value);
    length = page.value.reduce((sum, piece) => sum + piece.length, length);
  }
  return new StreamedJson(begun, pages, explain);
}

async function* encodedPages(result: PagedResult): AsyncGenerator<readonly Uint8Array[], void> {
  try {
    let before = '{';
    for (const key of alphabeticalKeys(result)) {
      const value = result[key];
      const w = new JsonWriter();
      if (!isRows(value)) {
        if (!w.member(before, key, value)) continue;
        yield w.pieces();
        before = ',';
        continue;
      }
      let opening = `${before}${JSON.stringify(key)}:[`;
      for await (const page of value.pages()) {
        markReleasable(page);
        yield [Buffer.from(opening), ...page];
        opening = before = ',';
      }
      if (opening === ',') yield [Buffer.from(']')];
    }
    yield [Buffer.from(before === '{' ? '{}' : '}')];
  } finally {
    for (const value of Object.values(result)) if (isRows(value)) value.release();
  }
}
