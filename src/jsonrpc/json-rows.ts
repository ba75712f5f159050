import type { Json } from '../util/json.js';
import { passOn } from '../util/last-holder.js';
import { JsonWriter, WrittenJson, type Writable } from '../util/json-writer.js';

/** A list of an answer that is made page by page, and other work goes on between pages. */
export interface JsonRows {
  /** Rows as another version has them. @param adapt is given a row, or the shape of all rows. */
  map(adapt: (row: Json) => Json): JsonRows;
  /** The rows of each page, with commas between them; no page is empty. They are passed on: nobody else looks at them. */
  pages(): AsyncIterable<readonly Uint8Array[]>;
  /** Lets go of what they are read from. */
  release(): void;
}

/** Rows that are values. */
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

/** What a method answers: lists may come in pages, parts may be written already. */
export type PagedResult = { readonly [key: string]: Part | undefined };

type Part = Json | JsonRows | WrittenJson;

const isRows = (value: Part | undefined): value is JsonRows =>
  typeof value === 'object' && value !== null && 'pages' in value && typeof value.pages === 'function';

const hasRows = (result: PagedResult): boolean => Object.values(result).some(isRows);

/** A result that begins to leave while the rest of it is read. Whoever is given one reads it, or lets go of it. */
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

  /** Once only. Where the reader stops early, what the rest is read from is let go of. */
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

  /** Reads all of it. */
  async whole(): Promise<WrittenJson> {
    const pieces: Uint8Array[] = [];
    for await (const page of this) pieces.push(...page);
    return new WrittenJson(pieces);
  }
}

/** Bytes from which on a result leaves before it is whole: a few milliseconds of reading. */
const STREAMED_FROM = 1 << 20;

/**
 * Writes a result with lists that come in pages; an empty one is left out, as all empty lists are. A short result is
 * read to its end first, so that whatever goes wrong can still be answered.
 * @param explain turns what goes wrong later into what the reader is told.
 */
export async function writeRows(
  result: PagedResult,
  explain: (error: unknown) => unknown = (error) => error,
): Promise<Writable | StreamedJson> {
  if (!hasRows(result)) return result as Writable;
  const pages = written(result);
  const begun: Uint8Array[] = [];
  let length = 0;
  while (length < STREAMED_FROM) {
    const page = await pages.next();
    if (page.done === true) return new WrittenJson(begun);
    begun.push(...page.value);
    length = page.value.reduce((sum, piece) => sum + piece.length, length);
  }
  return new StreamedJson(begun, pages, explain);
}

/** The text of a result, bit by bit. */
async function* written(result: PagedResult): AsyncGenerator<readonly Uint8Array[], void> {
  try {
    let before = '{';
    for (const [key, value] of Object.entries(result)) {
      const w = new JsonWriter();
      if (!isRows(value)) {
        if (!w.member(before, key, value)) continue;
        yield w.pieces();
        before = ',';
        continue;
      }
      let opening = `${before}${JSON.stringify(key)}:[`;
      for await (const page of value.pages()) {
        passOn(page);
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
