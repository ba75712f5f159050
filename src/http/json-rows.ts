import type { Json } from '../util/json.js';
import { markReleasable } from '../util/buffer-release.js';
import { alphabeticalKeys, EncodedJson, JsonWriter, type Writable } from '../util/json-writer.js';

/** List in an answer that is read page by page; the event loop runs other work between pages. */
export interface JsonRows {
  /** Converts the rows to another API version. @param adapt called with each row, or with the template of all rows. */
  map(adapt: (row: Json) => Json): JsonRows;
  /**
   * Reads the rows as JSON, separated by commas within each page. No page is empty. The receiver may free the memory of
   * the pieces.
   */
  pages(): AsyncIterable<readonly Uint8Array[]>;
  /** Releases the source of the rows. */
  release(): void;
}

/** Rows in the form of JSON values. */
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

/** Result of a method; its lists may be read page by page, and its parts may be encoded already. */
export type PagedResult = { readonly [key: string]: Part | undefined };

type Part = Json | JsonRows | EncodedJson;

const isRows = (value: Part | undefined): value is JsonRows =>
  typeof value === 'object' && value !== null && 'pages' in value && typeof value.pages === 'function';

const hasRows = (result: PagedResult): boolean => Object.values(result).some(isRows);

/** JSON result that is streamed; the receiver must read or release it. */
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

  /**
   * Reads the result; to be called only once. Ending the iteration early releases the sources of the remaining rows.
   */
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

  /** Reads the complete result into memory. */
  async whole(): Promise<EncodedJson> {
    const pieces: Uint8Array[] = [];
    for await (const page of this) pieces.push(...page);
    return new EncodedJson(pieces);
  }
}

/** Length from which a result is streamed [bytes]; reading a shorter one takes a few milliseconds. */
const STREAMED_FROM = 1 << 20;

/**
 * Writes a result whose lists may be read page by page; leaves out empty lists, as in every result of the reference. Reads a short
 * result completely, so that an error in it can still be answered.
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
