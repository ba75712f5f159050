import type { Json } from './json.js';

/** JSON that was written already, in pieces: it stands as it is. */
export class WrittenJson {
  readonly pieces: readonly Uint8Array[];

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces;
  }
}

/** What can be written. */
export type Writable = Json | WrittenJson | { readonly [key: string]: Json | WrittenJson | undefined };

/**
 * Compact JSON. Keys with undefined or an empty list are left out, as both generations of real servers do.
 * @throws RangeError for a number that JSON cannot hold.
 */
export const writeJson = (value: Json): string => new JsonWriter().value(value).toString();

/** {@link writeJson} with its empty lists. */
export const writeWholeJson = (value: Json): string =>
  new JsonWriter({ emptyLists: true }).value(value).toString();

/** Characters after which a text is set aside: joining few long texts is far cheaper than many short ones. */
const CHUNK = 1 << 16;

/** Strings that stand for themselves. */
const PLAIN = /^[\w .:/-]*$/;

const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** Names of members, each with its colon. Rows of an answer share theirs. */
const NAMES = new Map<string, string>();
/** Clients choose some: no more than so many are kept. */
const MAX_NAMES = 2000;

function named(key: string): string {
  const known = NAMES.get(key);
  if (known !== undefined) return known;
  const name = `${quoted(key)}:`;
  if (NAMES.size < MAX_NAMES) NAMES.set(key, name);
  return name;
}

/** Writes JSON bit by bit. Answers of millions of members are written in one go. */
export class JsonWriter {
  readonly #emptyLists: boolean;
  readonly #pieces: Uint8Array[] = [];
  #text = '';

  constructor({ emptyLists = false }: { readonly emptyLists?: boolean } = {}) {
    this.#emptyLists = emptyLists;
  }

  /** @throws RangeError for a number that JSON cannot hold. */
  value(value: Writable): this {
    this.#write(value);
    return this;
  }

  /**
   * A member of an object, `before` in front of it. @returns false where it is left out, and nothing is written.
   * @throws RangeError for a number that JSON cannot hold.
   */
  member(before: string, key: string, value: Writable | undefined): boolean {
    if (value === undefined || (!this.#emptyLists && isList(value) && value.length === 0)) return false;
    this.#text += before + named(key);
    this.#write(value);
    return true;
  }

  /** Text as it is. */
  raw(text: string): this {
    this.#text += text;
    return this;
  }

  /** UTF-8, in their order. */
  pieces(): readonly Uint8Array[] {
    this.#setAside(0);
    return this.#pieces;
  }

  toString(): string {
    return this.#pieces.length === 0 ? this.#text : Buffer.concat(this.pieces()).toString();
  }

  #write(value: Writable): void {
    if (typeof value === 'string') this.#text += quoted(value);
    else if (value !== null && typeof value === 'object')
      if (isList(value)) this.#writeList(value);
      else if (value instanceof WrittenJson) this.#insert(value);
      else this.#writeObject(value);
    else if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('not a JSON number');
    else this.#text += String(value);
  }

  #writeList(list: readonly Json[]): void {
    let before = '[';
    for (const item of list) {
      this.#text += before;
      this.#write(item);
      this.#setAside(CHUNK);
      before = ',';
    }
    this.#text += before === '[' ? '[]' : ']';
  }

  #writeObject(object: { readonly [key: string]: Writable | undefined }): void {
    let before = '{';
    for (const key of Object.keys(object)) if (this.member(before, key, object[key])) before = ',';
    this.#text += before === '{' ? '{}' : '}';
  }

  #insert({ pieces }: WrittenJson): void {
    this.#setAside(0);
    this.#pieces.push(...pieces);
  }

  /** What is longer than so many characters. */
  #setAside(most: number): void {
    if (this.#text.length <= most) return;
    this.#pieces.push(Buffer.from(this.#text));
    this.#text = '';
  }
}

const isList = (value: Writable): value is readonly Json[] => Array.isArray(value);
