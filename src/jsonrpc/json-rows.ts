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

const COMMA = Buffer.from(',');

/** Writes the lists that come in pages; an empty one is left out, as all empty lists are. */
export async function writeRows(result: PagedResult): Promise<Writable> {
  const written: Record<string, Json | WrittenJson | undefined> = {};
  try {
    for (const [key, value] of Object.entries(result)) {
      if (!isRows(value)) {
        written[key] = value;
        continue;
      }
      const pieces: Uint8Array[] = [];
      for await (const page of value.pages()) {
        passOn(page);
        pieces.push(...(pieces.length === 0 ? [] : [COMMA]), ...page);
      }
      if (pieces.length > 0) written[key] = new WrittenJson([Buffer.from('['), ...pieces, Buffer.from(']')]);
    }
    return written;
  } finally {
    for (const value of Object.values(result)) if (isRows(value)) value.release();
  }
}
