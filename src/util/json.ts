/** A JSON value. Integers are bigint whatever their size; numbers with a fraction or exponent are number. */
export type Json =
  null | boolean | string | number | bigint | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Text that is not JSON, or beyond the limits. Quotes nothing of it. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

export interface JsonLimits {
  readonly maxDepth?: number;
  /** Digits of one integer: a longer one costs quadratic time. */
  readonly maxDigits?: number;
  /** Strings may hold control characters as they are, and `\v`: so do epee's, of binary. */
  readonly rawStrings?: boolean;
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
/** A string without escapes, the usual case; control characters must be escaped. */
const PLAIN_STRING = /"([^"\\\u0000-\u001f]*)"/y;
const STRING_PART = /[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const RAW_PLAIN_STRING = /"([^"\\]*)"/y;
const RAW_STRING_PART = /[^"\\]+|\\(?:["\\/bfnrtv]|u[0-9a-fA-F]{4})/y;
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

class Parser {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #maxDigits: number;
  readonly #plainString: RegExp;
  readonly #stringPart: RegExp;
  #at = 0;
  #depth = 0;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#maxDepth = limits.maxDepth ?? 100;
    this.#maxDigits = limits.maxDigits ?? 1000;
    this.#plainString = limits.rawStrings ? RAW_PLAIN_STRING : PLAIN_STRING;
    this.#stringPart = limits.rawStrings ? RAW_STRING_PART : STRING_PART;
  }

  whole(): Json {
    this.#space();
    const value = this.#value();
    this.#space();
    if (this.#at < this.#text.length) throw new JsonError('text after the value');
    return value;
  }

  #value(): Json {
    switch (this.#text[this.#at]) {
      case '{':
        return this.#nested(() => this.#object());
      case '[':
        return this.#nested(() => this.#array());
      case '"':
        return this.#string();
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

  #nested<T>(read: () => T): T {
    if (++this.#depth > this.#maxDepth) throw new JsonError('nested too deeply');
    this.#at += 1;
    this.#space();
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(): Json {
    // No prototype: a key such as __proto__ is a key like any other.
    const object = Object.create(null) as Record<string, Json>;
    if (this.#take('}')) return object;
    for (;;) {
      if (this.#text[this.#at] !== '"') throw new JsonError('expected a key');
      const key = this.#string();
      this.#space();
      if (!this.#take(':')) throw new JsonError('expected a colon');
      this.#space();
      object[key] = this.#value();
      this.#space();
      if (this.#take('}')) return object;
      if (!this.#take(',')) throw new JsonError('expected a comma or the end of an object');
      this.#space();
    }
  }

  #array(): Json {
    const array: Json[] = [];
    if (this.#take(']')) return array;
    for (;;) {
      array.push(this.#value());
      this.#space();
      if (this.#take(']')) return array;
      if (!this.#take(',')) throw new JsonError('expected a comma or the end of an array');
      this.#space();
    }
  }

  #string(): string {
    const plain = this.#match(this.#plainString);
    if (plain !== null) return plain[1] ?? '';
    this.#at += 1;
    let value = '';
    while (!this.#take('"')) {
      const [part] = this.#match(this.#stringPart) ?? [];
      if (part === undefined) throw new JsonError('bad string');
      if (part[0] !== '\\') value += part;
      else if (part[1] === 'u') value += String.fromCharCode(Number.parseInt(part.slice(2), 16));
      else value += ESCAPES[part[1] ?? ''] ?? '';
    }
    return value;
  }

  #number(): number | bigint {
    const [text, fraction, exponent] = this.#match(NUMBER) ?? [];
    if (text === undefined) throw new JsonError('expected a value');
    if (fraction !== undefined || exponent !== undefined) return Number(text);
    if (text.length > this.#maxDigits) throw new JsonError('number too long');
    return BigInt(text);
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw new JsonError('expected a value');
    this.#at += word.length;
    return value;
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #space(): void {
    const code = this.#text.charCodeAt(this.#at);
    if (code > 0x20) return;
    this.#match(SPACE);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at += match[0].length;
    return match;
  }
}

/** Strict JSON unless the limits say otherwise, its integers exact. @throws JsonError */
export const parseJson = (text: string, limits: JsonLimits = {}): Json => new Parser(text, limits).whole();
