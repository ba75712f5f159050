import type { Json } from './json.js';

/** JSON text, encoded as UTF-8, that is inserted unchanged. */
export class EncodedJson {
  readonly pieces: readonly Uint8Array[];

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces;
  }
}

/** JSON text that is inserted unchanged. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Value that {@link JsonWriter} writes; its members may be JSON already. */
export type Writable =
  | Json
  | EncodedJson
  | JsonText
  | { readonly [key: string]: Json | EncodedJson | JsonText | undefined };

/**
 * Writes compact JSON in the form of the RPC of both servers of the reference: members of an object in alphabetical
 * order, without members that are undefined or an empty list. Source: portable_storage_to_json.h, over a `std::map`.
 * @throws RangeError for a number that JSON cannot represent.
 */
export const writeJson = (value: Json): string => new JsonWriter().value(value).toString();

/** Writes compact JSON that contains empty lists, with the members of an object in the order of the object. */
export const writeWholeJson = (value: Json): string =>
  new JsonWriter({ emptyLists: true, ordered: false }).value(value).toString();

/**
 * Number of characters from which a text becomes a separate piece: joining few long texts takes far less time than
 * joining many short ones.
 */
const CHUNK = 1 << 16;

/** Length below which an encoded value becomes a part of the text around it: many pieces take longer to send [bytes]. */
const SHORT = 1 << 12;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Matches strings without characters that JSON escapes. */
const PLAIN = /^[\w .:/?&=%-]*$/;

const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** Cache of quoted keys with their colons: the rows of an answer have the same keys. */
const QUOTED_KEYS = new Map<string, string>();
/** Largest number of cached keys, since clients can choose some keys. */
const MAX_KEYS = 2000;

function quotedKey(key: string): string {
  const cached = QUOTED_KEYS.get(key);
  if (cached !== undefined) return cached;
  const name = `${quoted(key)}:`;
  if (QUOTED_KEYS.size < MAX_KEYS) QUOTED_KEYS.set(key, name);
  return name;
}

const isAscending = (keys: readonly string[]): boolean => {
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) > (keys[i] as string)) return false;
  return true;
};

/** Returns the keys of an object in alphabetical order, in which the reference writes members. */
export function alphabeticalKeys(object: object): readonly string[] {
  const keys = Object.keys(object);
  return isAscending(keys) ? keys : keys.sort();
}

/** Writes JSON values as UTF-8 pieces of limited length, for answers of millions of members. */
export class JsonWriter {
  readonly #emptyLists: boolean;
  readonly #ordered: boolean;
  readonly #pieces: Uint8Array[] = [];
  /** Length of {@link #pieces} [bytes]. */
  #flushed = 0;
  #text = '';

  /**
   * @param emptyLists true: writes members that are an empty list. @param ordered true: writes the members of an object
   * in alphabetical order; false: in the order of the object. By default the same as {@link writeJson}.
   */
  constructor({
    emptyLists = false,
    ordered = true,
  }: { readonly emptyLists?: boolean; readonly ordered?: boolean } = {}) {
    this.#emptyLists = emptyLists;
    this.#ordered = ordered;
  }

  /** Writes a value. @throws RangeError for a number that JSON cannot represent. */
  value(value: Writable): this {
    this.#write(value);
    return this;
  }

  /**
   * Writes the text `before` and a member of an object, unless the member is left out.
   * @returns false if nothing was written. @throws RangeError for a number that JSON cannot represent.
   */
  member(before: string, key: string, value: Writable | undefined): boolean {
    if (value === undefined || (!this.#emptyLists && isList(value) && value.length === 0)) return false;
    this.#text += before + quotedKey(key);
    this.#write(value);
    return true;
  }

  /** Appends text unchanged. */
  raw(text: string): this {
    this.#text += text;
    return this;
  }

  /** Approximate length of the written JSON [bytes]: its text may have longer characters. */
  get length(): number {
    return this.#flushed + this.#text.length;
  }

  /** Returns the written JSON as UTF-8 pieces, in order. */
  pieces(): readonly Uint8Array[] {
    this.#flush(0);
    return this.#pieces;
  }

  toString(): string {
    return this.#pieces.length === 0 ? this.#text : Buffer.concat(this.pieces()).toString();
  }

  #write(value: Writable): void {
    if (typeof value === 'string') this.#text += quoted(value);
    else if (value !== null && typeof value === 'object')
      if (isList(value)) this.#writeList(value);
      else if (value instanceof EncodedJson) this.#insert(value);
      else if (value instanceof JsonText) this.#text += value.text;
      else this.#writeObject(value);
    else if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('not a JSON number');
    else this.#text += String(value);
  }

  #writeList(list: readonly Json[]): void {
    let before = '[';
    for (const item of list) {
      this.#text += before;
      this.#write(item);
      this.#flush(CHUNK);
      before = ',';
    }
    this.#text += before === '[' ? '[]' : ']';
  }

  #writeObject(object: { readonly [key: string]: Writable | undefined }): void {
    let before = '{';
    for (const key of this.#ordered ? alphabeticalKeys(object) : Object.keys(object))
      if (this.member(before, key, object[key])) before = ',';
    this.#text += before === '{' ? '{}' : '}';
  }

  #insert({ pieces }: EncodedJson): void {
    const [only] = pieces;
    if (only !== undefined && pieces.length === 1 && only.length < SHORT) {
      this.#text += decoder.decode(only);
      return;
    }
    this.#flush(0);
    for (const piece of pieces) this.#push(piece);
  }

  /** Moves the current text to a new piece if it is longer than `limit` characters. */
  #flush(limit: number): void {
    if (this.#text.length <= limit) return;
    this.#push(Buffer.from(this.#text));
    this.#text = '';
  }

  #push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#flushed += piece.length;
  }
}

const isList = (value: Writable): value is readonly Json[] => Array.isArray(value);

/** Placeholder in a row template, for a value that differs between rows. */
export class Field<Name extends string = string> {
  readonly name: Name;

  constructor(name: Name) {
    this.name = name;
  }
}

/** JSON value of a row with placeholders; members that are undefined are left out. */
export type RowTemplate<Name extends string = string> =
  | null
  | boolean
  | string
  | number
  | bigint
  | Field<Name>
  | { readonly [key: string]: RowTemplate<Name> | undefined };

/** JSON text of a row, split at its fields: one text before each field, and one after the last. */
export interface RowParts<Name extends string = string> {
  readonly texts: readonly string[];
  readonly fields: readonly Name[];
}

/** Splits the JSON text of a template at its {@link Field}s. */
export function rowParts<Name extends string>(template: RowTemplate<Name>): RowParts<Name> {
  const texts: string[] = [];
  const fields: Name[] = [];
  let text = '';
  const write = (part: RowTemplate<Name>): void => {
    if (part instanceof Field) {
      texts.push(text);
      fields.push(part.name);
      text = '';
    } else if (typeof part === 'object' && part !== null) {
      let before = '{';
      for (const key of alphabeticalKeys(part)) {
        const item = part[key];
        if (item === undefined) continue;
        text += `${before}${JSON.stringify(key)}:`;
        write(item);
        before = ',';
      }
      text += before === '{' ? '{}' : '}';
    } else text += writeJson(part satisfies Json);
  };
  write(template);
  return { texts: [...texts, text], fields };
}
