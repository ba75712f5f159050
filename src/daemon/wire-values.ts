import type { Hash } from '../monero/crypto/types.js';
import { bytes32, fromHex } from '../util/bytes.js';
import { CodecError } from '../util/codec.js';
import { U64_MAX } from '../util/amount.js';
import type { Json } from '../util/json.js';

export const hashOf = (bytes: Uint8Array): Hash => bytes32<'Hash'>(bytes, 'Hash');

export const blobOf = (value: Uint8Array) => ({ type: 'string', value }) as const;

/** Converts a bigint to a number. @throws CodecError for another type, a negative value, or a value above 2^53 − 1. */
export function toIndex(value: unknown): number {
  if (typeof value !== 'bigint' || value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new CodecError('index out of range');
  return Number(value);
}

/**
 * Reads typed fields of a JSON object that a daemon sent. A field of another type throws CodecError; an absent list
 * reads as empty.
 */
export class JsonReader {
  readonly #object: { readonly [key: string]: Json | undefined };

  constructor(value: Json | undefined, name = 'answer') {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new CodecError(`${name}: expected an object`);
    this.#object = value as { readonly [key: string]: Json | undefined };
  }

  has(name: string): boolean {
    return this.#object[name] !== undefined;
  }

  asUint(value: Json | undefined, name: string): bigint {
    if (typeof value !== 'bigint' || value < 0n || value > U64_MAX)
      throw new CodecError(`${name}: expected an unsigned integer`);
    return value;
  }

  asHash(value: Json | undefined, name: string): Hash {
    if (typeof value !== 'string') throw new CodecError(`${name}: expected a hash`);
    return bytes32<'Hash'>(fromHex(value), 'Hash');
  }

  uint(name: string, fallback?: bigint): bigint {
    return this.asUint(this.#object[name] ?? fallback, name);
  }

  number(name: string, fallback?: number): number {
    const value = this.uint(name, fallback === undefined ? undefined : BigInt(fallback));
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new CodecError(`${name}: integer too large`);
    return Number(value);
  }

  bool(name: string, fallback?: boolean): boolean {
    const value = this.#object[name] ?? fallback;
    if (typeof value !== 'boolean') throw new CodecError(`${name}: expected a boolean`);
    return value;
  }

  text(name: string, fallback?: string): string {
    const value = this.#object[name] ?? fallback;
    if (typeof value !== 'string') throw new CodecError(`${name}: expected a string`);
    return value;
  }

  hash(name: string): Hash {
    return this.asHash(this.#object[name], name);
  }

  list(name: string): readonly Json[] {
    const value = this.#object[name] ?? [];
    if (!Array.isArray(value)) throw new CodecError(`${name}: expected a list`);
    return value as readonly Json[];
  }

  object(name: string): JsonReader {
    return new JsonReader(this.#object[name], name);
  }

  objects(name: string): JsonReader[] {
    return this.list(name).map((item) => new JsonReader(item, name));
  }
}
