/** A JSON value. Integers of any size are bigints; numbers with a fraction or an exponent are finite numbers. */
export type Json =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

/** True for a JSON object; false for a list, null or a scalar. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Error of a text that is not JSON, or that exceeds the limits. The message contains no part of the text. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

/** Error of a JSON text with more values than the limits allow. */
export class TooManyValues extends JsonError {}

/** Error of a JSON text without any value: it is empty, or consists of spaces. */
export class EmptyText extends JsonError {}

/** Limits for a JSON text, and deviations from strict JSON. */
export interface JsonLimits {
  readonly maxDepth?: number;
  /** Longest number [characters]: the time for parsing an integer grows with the square of its length. */
  readonly maxDigits?: number;
  /** Largest number of values in the text, including nested ones. */
  readonly maxValues?: number;
  /** True: refuses an object with two members of one name, of which the last one counts otherwise. */
  readonly uniqueKeys?: boolean;
  /** True: allows unescaped control characters and `\v` in strings, since epee writes binary strings in this form. */
  readonly rawStrings?: boolean;
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
/** Matches characters at the end of a part that may be the first half of a longer number. */
const NUMBER_CHARS = /[-+.\deE]*/y;
/** Matches characters that need no escape; control characters need an escape. */
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const RAW_PLAIN = /[^"\\]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const RAW_ESCAPE = /\\(?:["\\/bfnrtv]|u[0-9a-fA-F]{4})/y;
const LONGEST_ESCAPE = 6;
const SPACE = /[ \t\r\n]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
type JsonObject = Record<string, Json>;

/** A list or an object whose end was not read yet. */
type Container =
  | { readonly array: Json[] }
  | { readonly array?: undefined; readonly object: JsonObject; key: string };

/** Token that must come next. `first-…`: an item or key, or the end of the container; `next`: a comma, or the end. */
type Expected = 'value' | 'first-item' | 'first-key' | 'key' | 'colon' | 'next' | 'string' | 'end';

/**
 * Parses JSON from text that arrives in parts of any length; strictly, unless the limits allow more. Integers are
 * exact. The time for one part is linear in its length.
 */
export class JsonParser {
  readonly #limits: Required<JsonLimits>;
  readonly #containers: Container[] = [];
  #expected: Expected = 'value';
  #text = '';
  #at = 0;
  #final = false;
  #values = 0;
  #root: Json | undefined;
  /** The part of an unfinished string that was read so far. */
  readonly #string = new StringBuilder();
  #isKey = false;

  constructor(limits: JsonLimits = {}) {
    this.#limits = {
      maxDepth: limits.maxDepth ?? 100,
      maxDigits: limits.maxDigits ?? 1000,
      maxValues: limits.maxValues ?? Infinity,
      uniqueKeys: limits.uniqueKeys ?? false,
      rawStrings: limits.rawStrings ?? false,
    };
  }

  /** The outermost value with the members that were read so far; undefined before its first character. */
  get root(): Json | undefined {
    return this.#root;
  }

  /** Number of values that were begun so far, including nested ones. */
  get values(): number {
    return this.#values;
  }

  /**
   * Parses the next part of the text. @throws JsonError once no continuation can make the text valid within the limits.
   */
  write(part: string): void {
    this.#text = this.#text === '' ? part : this.#text + part;
    this.#at = 0;
    while (this.#step());
    this.#text = this.#text.slice(this.#at);
  }

  /** Ends the text and returns its value. @throws JsonError if the text is incomplete, {@link EmptyText} if it is empty. */
  end(): Json {
    this.#final = true;
    this.write('');
    if (this.#expected === 'value' && this.#containers.length === 0) throw new EmptyText('no value');
    if (this.#expected !== 'end' || this.#root === undefined) throw new JsonError('the text ends early');
    return this.#root;
  }

  /** Reads one token. @returns false if the rest of the part is at most the first half of a token. */
  #step(): boolean {
    if (this.#expected === 'string') return this.#stringPart();
    if (this.#text.charCodeAt(this.#at) <= 0x20) this.#match(SPACE);
    const char = this.#text[this.#at];
    if (char === undefined) return false;
    switch (this.#expected) {
      case 'end':
        throw new JsonError('text after the value');
      case 'first-item':
        if (char === ']') return this.#close();
        return this.#value(char);
      case 'value':
        return this.#value(char);
      case 'first-key':
        if (char === '}') return this.#close();
        return this.#key(char);
      case 'key':
        return this.#key(char);
      case 'colon':
        if (char !== ':') throw new JsonError('expected a colon');
        return this.#take('value');
      case 'next':
        return this.#next(char);
    }
  }

  #take(next: Expected): true {
    this.#at += 1;
    this.#expected = next;
    return true;
  }

  #key(char: string): boolean {
    if (char !== '"') throw new JsonError('expected a key');
    this.#isKey = true;
    return this.#take('string');
  }

  #next(char: string): boolean {
    const inArray = this.#containers.at(-1)?.array !== undefined;
    if (char === (inArray ? ']' : '}')) return this.#close();
    if (char !== ',') throw new JsonError('expected a comma or the end of a list or an object');
    return this.#take(inArray ? 'value' : 'key');
  }

  #value(char: string): boolean {
    switch (char) {
      case '{': {
        // The object has no prototype, so that a key such as __proto__ is like any other key.
        const object = Object.create(null) as JsonObject;
        return this.#open(object, { object, key: '' }, 'first-key');
      }
      case '[': {
        const array: Json[] = [];
        return this.#open(array, { array }, 'first-item');
      }
      case '"':
        this.#isKey = false;
        return this.#take('string');
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #open(value: Json, container: Container, next: Expected): true {
    this.#put(value);
    if (this.#containers.push(container) > this.#limits.maxDepth) throw new JsonError('nested too deeply');
    return this.#take(next);
  }

  #close(): true {
    this.#containers.pop();
    return this.#take(this.#containers.length === 0 ? 'end' : 'next');
  }

  /** Adds a value to the innermost unfinished container. */
  #put(value: Json): void {
    if (++this.#values > this.#limits.maxValues) throw new TooManyValues('too many values');
    const container = this.#containers.at(-1);
    if (container === undefined) this.#root = value;
    else if (container.array !== undefined) container.array.push(value);
    else container.object[container.key] = value;
    this.#expected = container === undefined ? 'end' : 'next';
  }

  #stringPart(): boolean {
    const { rawStrings } = this.#limits;
    const start = this.#at;
    this.#match(rawStrings ? RAW_PLAIN : PLAIN);
    this.#string.range(this.#text, start, this.#at);
    switch (this.#text[this.#at]) {
      case undefined:
        return false;
      case '"':
        this.#endString();
        return true;
      case '\\': {
        const escape = this.#match(rawStrings ? RAW_ESCAPE : ESCAPE)?.[0];
        if (escape !== undefined) {
          const char = ESCAPES[escape[1] ?? ''] ?? '';
          this.#string.code(char === '' ? Number.parseInt(escape.slice(2), 16) : char.charCodeAt(0));
          return true;
        }
        if (!this.#final && this.#text.length - this.#at < LONGEST_ESCAPE) return false;
        throw new JsonError('bad string');
      }
      default:
        throw new JsonError('bad string');
    }
  }

  #endString(): void {
    const value = this.#string.take();
    this.#at += 1;
    const container = this.#containers.at(-1);
    if (!this.#isKey || container === undefined || container.array !== undefined) return this.#put(value);
    if (this.#limits.uniqueKeys && value in container.object)
      throw new JsonError('an object has two members of one name');
    container.key = value;
    this.#expected = 'colon';
  }

  #number(): boolean {
    const start = this.#at;
    const [text = '', fraction, exponent] = this.#match(NUMBER) ?? [];
    // Up to two characters of a fraction or exponent may follow the match before the part ends.
    if (!this.#final && this.#at >= this.#text.length - 2) {
      this.#match(NUMBER_CHARS);
      const unfinished = this.#at === this.#text.length;
      if (unfinished && this.#at - start <= this.#limits.maxDigits) {
        this.#at = start;
        return false;
      }
      this.#at = start + text.length;
    }
    if (text === '') throw new JsonError('expected a value');
    if (text.length > this.#limits.maxDigits) throw new JsonError('number too long');
    const isInteger = fraction === undefined && exponent === undefined;
    const value = isInteger ? BigInt(text) : Number(text);
    if (value === Infinity || value === -Infinity) throw new JsonError('number out of range');
    this.#put(value);
    return true;
  }

  #word(word: string, value: boolean | null): boolean {
    const rest = this.#text.slice(this.#at, this.#at + word.length);
    if (rest !== word) {
      if (!this.#final && word.startsWith(rest)) return false;
      throw new JsonError('expected a value');
    }
    this.#at += word.length;
    this.#put(value);
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at += match[0].length;
    return match;
  }
}

/** Parses a complete text. @throws JsonError */
export function parseJson(text: string, limits?: JsonLimits): Json {
  const parser = new JsonParser(limits);
  parser.write(text);
  return parser.end();
}

/** Number of UTF-16 units that are collected before they are joined: each join takes memory. */
const BLOCK = 1024;
/** Length below which a range is copied unit by unit [UTF-16 units]. */
const SHORT = 256;

/**
 * Builds a string from many pieces. The memory is proportional to the length of the string, even for very short pieces.
 */
class StringBuilder {
  #joined = '';
  readonly #last: number[] = [];

  /** Appends one UTF-16 code unit. */
  code(unit: number): void {
    if (this.#last.push(unit) >= BLOCK) this.#join();
  }

  /** Appends `text.slice(start, end)`. */
  range(text: string, start: number, end: number): void {
    if (start === end) return;
    if (this.#last.length > 0 && end - start < SHORT) {
      for (let i = start; i < end; i++) this.code(text.charCodeAt(i));
      return;
    }
    this.#join();
    this.#joined += text.slice(start, end);
  }

  /** Returns the string; the builder is empty afterwards. */
  take(): string {
    this.#join();
    const text = this.#joined;
    this.#joined = '';
    return text;
  }

  #join(): void {
    if (this.#last.length > 0) this.#joined += String.fromCharCode(...this.#last.splice(0));
  }
}
