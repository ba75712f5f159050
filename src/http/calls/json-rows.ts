import type { Json } from '../../util/json.js';
import { markReleasable } from '../message/paced-response.js';
import { toHex, totalLength } from '../../util/bytes.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import { alphabeticalKeys, EncodedJson, JsonWriter, type Writable } from '../../util/json-writer.js';
import { mapPages, TURN_BYTES, unheld, type Paged } from '../../util/paged.js';

/** Texts around and between the pages of a part of an answer. */
interface Frame {
  readonly open: string;
  readonly between: string;
  readonly close: string;
}

const LIST: Frame = { open: '[', between: ',', close: ']' };
const TEXT: Frame = { open: '"', between: '', close: '"' };

/** Rules for the lists of an answer. */
export interface ListRules {
  /** True: empty lists are written; false: they are left out, as in every answer of the reference. */
  readonly emptyLists: boolean;
}

/** Row of a list, or a text in it; members of a row may be JSON already. */
type Row = Writable;

/** JSON of some rows, separated by commas. */
export interface EncodedRows {
  readonly pieces: readonly Uint8Array[];
  /** True if these are the last rows of a page of the source. */
  readonly endsPage: boolean;
}

/** Encodes pages of rows, and yields to the event loop after each share of a page with long texts. */
export async function* encodedRows(
  pages: AsyncIterable<readonly Row[]>,
  rules?: ListRules,
): AsyncGenerator<EncodedRows> {
  for await (const page of pages) {
    let w = new JsonWriter(rules);
    let before = '';
    for (const row of page) {
      if (w.length >= TURN_BYTES) {
        yield { pieces: w.pieces(), endsPage: false };
        await yieldToEventLoop();
        w = new JsonWriter(rules);
        before = '';
      }
      w.raw(before).value(row);
      before = ',';
    }
    if (page.length > 0) yield { pieces: w.pieces(), endsPage: true };
  }
}

/** Number of bytes in a page of a text in hex. */
const HEX_PAGE = 1 << 17;

/** Converts a row, or the template of all rows, to another API version. */
type Adapt = (row: Json) => Json;

/** Source of a list or of a text in an answer. */
interface RowSource {
  /**
   * Reads JSON page by page: rows separated by commas, or characters of a text. No page is empty. The receiver may free
   * the memory of the pieces.
   * @param adapt converts each row; absent: the rows are written as they are.
   */
  readonly read: (adapt: Adapt | undefined, rules?: ListRules) => AsyncIterable<readonly Uint8Array[]>;
  /** Releases the source. */
  readonly release: () => void;
}

/** List or long text in an answer, which is read page by page; the event loop runs other work between pages. */
export class JsonRows<Form extends Frame = typeof LIST> {
  /** Texts around and between the pages. */
  readonly frame: Form;
  readonly #source: RowSource;
  readonly #adapt: Adapt | undefined;

  private constructor(source: RowSource, frame: Form, adapt?: Adapt) {
    this.#source = source;
    this.frame = frame;
    this.#adapt = adapt;
  }

  /** Returns a list that its source writes as JSON. */
  static written(source: RowSource): JsonRows {
    return new JsonRows(source, LIST);
  }

  /** Returns a list of rows. */
  static of({ pages, release }: Paged<readonly Row[]>): JsonRows {
    const read: RowSource['read'] = async function* (adapt, rules) {
      const rows = adapt === undefined ? pages : mapPages(pages, (row) => adapt(row as Json));
      for await (const { pieces } of encodedRows(rows, rules)) yield pieces;
    };
    return new JsonRows({ read, release }, LIST);
  }

  /**
   * Returns a text that is written as one JSON string.
   * @param pages parts of the text; no part ends within a surrogate pair.
   */
  static text({ pages, release }: Paged<string>): LongText {
    const read = async function* (): AsyncGenerator<readonly Uint8Array[]> {
      for await (const page of pages) if (page !== '') yield [Buffer.from(JSON.stringify(page).slice(1, -1))];
    };
    return new JsonRows({ read, release }, TEXT);
  }

  /** Returns bytes that are written as one JSON string of lower-case hex. */
  static hex(bytes: Uint8Array): LongText {
    const read = async function* (): AsyncGenerator<readonly Uint8Array[]> {
      for (let start = 0; start < bytes.length; start += HEX_PAGE) {
        if (start > 0) await yieldToEventLoop();
        yield [Buffer.from(toHex(bytes.subarray(start, start + HEX_PAGE)), 'latin1')];
      }
    };
    return new JsonRows({ read, release: () => undefined }, TEXT);
  }

  /** Converts the rows to another API version. @param adapt called with each row, or with the template of all rows. */
  map(adapt: Adapt): JsonRows<Form> {
    const former = this.#adapt;
    return new JsonRows(this.#source, this.frame, former === undefined ? adapt : (row) => adapt(former(row)));
  }

  /** Reads the JSON of the rows, as {@link RowSource.read}. */
  pages(rules?: ListRules): AsyncIterable<readonly Uint8Array[]> {
    return this.#source.read(this.#adapt, rules);
  }

  /** Releases the source of the rows. */
  release(): void {
    this.#source.release();
  }
}

/** Text in an answer that is read page by page. */
export type LongText = JsonRows<typeof TEXT>;

/** Number of characters in a page of a long text. */
const TEXT_PAGE = 1 << 16;

/** Returns a text, which is streamed if it is long. */
export const streamedText = (text: string): string | LongText =>
  text.length <= TEXT_PAGE ? text : JsonRows.text(unheld(pagesOfText(text)));

/** Divides a text between characters, and yields to the event loop between the pages. */
async function* pagesOfText(text: string): AsyncGenerator<string> {
  for (let start = 0, end; start < text.length; start = end) {
    if (start > 0) await yieldToEventLoop();
    end = start + TEXT_PAGE;
    // A character of two units stays whole.
    if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end += 1;
    yield text.slice(start, end);
  }
}

/**
 * Returns bytes in lower-case hex. Many bytes are streamed: as one text they would be searched for characters that JSON
 * escapes, and copied twice.
 */
export const streamedHex = (bytes: Uint8Array): string | LongText =>
  bytes.length <= HEX_PAGE ? toHex(bytes) : JsonRows.hex(bytes);

/** Result of a method; its lists may be read page by page, and its parts may be encoded already. */
export type PagedResult = { readonly [key: string]: Part | undefined };

type Part = Json | JsonRows | LongText | EncodedJson;

const isRows = (value: Part | undefined): value is JsonRows | LongText => value instanceof JsonRows;

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

  /** Reads the complete result into memory. @returns undefined if it is longer than `limit` [bytes]. */
  async whole(limit: number): Promise<EncodedJson | undefined> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const page of this) {
      pieces.push(...page);
      length += totalLength(page);
      if (length > limit) return undefined;
    }
    return new EncodedJson(pieces);
  }
}

/** Length from which a result is streamed [bytes]; reading a shorter result takes a few milliseconds. */
const STREAMED_FROM = 1 << 20;

const AS_REFERENCE: ListRules = { emptyLists: false };

/**
 * Writes a result whose lists and texts may be read page by page. Reads a short result completely, so that an error in
 * it can still be answered.
 * @param explain converts an error that occurs while the result is streamed.
 */
export async function writeRows(
  result: PagedResult,
  explain: (error: unknown) => unknown = (error) => error,
  rules: ListRules = AS_REFERENCE,
): Promise<Writable | StreamedJson> {
  if (!hasRows(result))
    return rules.emptyLists
      ? new EncodedJson(new JsonWriter(rules).value(result as Writable).pieces())
      : (result as Writable);
  const pages = joined(encodedPages(result, rules));
  const begun: Uint8Array[] = [];
  let length = 0;
  while (length < STREAMED_FROM) {
    const page = await pages.next();
    if (page.done === true) return new EncodedJson(begun);
    begun.push(...page.value);
    length += totalLength(page.value);
  }
  return new StreamedJson(begun, pages, explain);
}

/** Length from which a piece of a result is passed on; shorter pieces are joined [bytes]. */
const JOINED = 1 << 16;

/**
 * Joins short pieces to pieces of at least {@link JOINED}: a client receives them in fewer parts, and the allocator
 * returns the memory of such a piece to the system when it is freed, wherever it lies. Longer pieces are passed on
 * uncopied.
 */
async function* joined(
  pages: AsyncIterable<readonly Uint8Array[]>,
): AsyncGenerator<readonly Uint8Array[], void> {
  let held: Uint8Array[] = [];
  let length = 0;
  const join = (): readonly Uint8Array[] => {
    const pieces = held.length < 2 ? held : [Buffer.concat(held, length)];
    markReleasable(pieces);
    held = [];
    length = 0;
    return pieces;
  };
  for await (const page of pages) {
    const ready: Uint8Array[] = [];
    for (const piece of page) {
      if (piece.length >= JOINED) {
        ready.push(...join(), piece);
        continue;
      }
      held.push(piece);
      length += piece.length;
      if (length >= JOINED) ready.push(...join());
    }
    if (ready.length > 0) yield ready;
  }
  if (length > 0) yield join();
}

async function* encodedPages(
  result: PagedResult,
  rules: ListRules,
): AsyncGenerator<readonly Uint8Array[], void> {
  try {
    let before = '{';
    for (const key of alphabeticalKeys(result)) {
      const value = result[key];
      if (!isRows(value)) {
        const w = new JsonWriter(rules);
        if (!w.member(before, key, value)) continue;
        yield w.pieces();
        before = ',';
        continue;
      }
      const { open, between, close } = value.frame;
      const opening = `${before}${JSON.stringify(key)}:${open}`;
      let isBegun = false;
      for await (const page of value.pages(rules)) {
        markReleasable(page);
        const separator = isBegun ? between : opening;
        yield separator === '' ? page : [Buffer.from(separator), ...page];
        isBegun = true;
      }
      if (!isBegun && value.frame === LIST && !rules.emptyLists) continue;
      yield [Buffer.from(isBegun ? close : opening + close)];
      before = ',';
    }
    yield [Buffer.from(before === '{' ? '{}' : '}')];
  } finally {
    for (const value of Object.values(result)) if (isRows(value)) value.release();
  }
}
