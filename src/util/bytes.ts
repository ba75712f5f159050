import {
  toHex as encodeHex,
  toLatin1 as decodeLatin1,
  tryFromHex as decodeHex,
  fromBase64,
} from '#platform/hex.js';

declare const role: unique symbol;

/**
 * A byte string with its role in its type, so that a key image cannot be passed as an output key.
 * @example
 * const id: Bytes<'PaymentId'> = fixedBytes(new Uint8Array(8), 8, 'PaymentId');
 * id.length; // => 8
 */
export type Bytes<K extends string> = Uint8Array & { readonly [role]: K };

/**
 * Checks the length of a byte string, and copies it with a role. @throws RangeError for any other length.
 * @example
 * fixedBytes(fromHex('0102030405060708'), 8, 'PaymentId').length; // => 8
 */
export function fixedBytes<K extends string>(raw: Uint8Array, length: number, name: K): Bytes<K> {
  if (raw.length !== length) throw new RangeError(`${name}: expected ${length} bytes, got ${raw.length}`);
  return new Uint8Array(raw) as Bytes<K>;
}

/**
 * Checks and copies a byte string of 32 bytes, as {@link fixedBytes}.
 * @example
 * bytes32(fromHex('01'.repeat(32)), 'PublicKey').length; // => 32
 */
export const bytes32 = <K extends string>(raw: Uint8Array, name: K): Bytes<K> => fixedBytes(raw, 32, name);

/** Decodes bytes as Latin-1 text, one character per byte. */
export const toLatin1: typeof decodeLatin1 = decodeLatin1;

/**
 * Encodes bytes as lower-case hex.
 * @example
 * toHex(Uint8Array.of(0, 255)); // => '00ff'
 */
export const toHex: typeof encodeHex = encodeHex;

/**
 * Decodes hex digits of either case.
 * @returns undefined unless {@link isHex} is true; faster than calling {@link isHex} before.
 */
export const tryFromHex: typeof decodeHex = decodeHex;

/** True for a text of an even number of hex digits of either case. */
export const isHex = (text: string): boolean => text.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(text);

/**
 * Decodes hex digits of either case. @throws RangeError unless {@link isHex} is true.
 * @example
 * fromHex('00FF'); // => Uint8Array.of(0, 255)
 */
export function fromHex(text: string): Uint8Array {
  const bytes = tryFromHex(text);
  if (bytes === undefined) throw new RangeError('not an even number of hex digits');
  return bytes;
}

/** Returns the sum of the lengths of byte strings [bytes]. */
export const totalLength = (parts: readonly Uint8Array[]): number =>
  parts.reduce((length, part) => length + part.length, 0);

/** Joins byte strings, some 100,000 at most. */
export const concatBytes = (...parts: readonly Uint8Array[]): Uint8Array => joinBytes(parts);

/**
 * Joins a list of byte strings of any length: {@link concatBytes} overflows the stack with more than some 100,000
 * arguments.
 */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(totalLength(parts));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/**
 * Compares byte strings, in a time that depends on their lengths only. The lengths are not secret.
 * @example
 * equalBytes(fromHex('0102'), Uint8Array.of(1, 2)); // => true
 */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

/** Compares byte strings in lexicographic order, like `memcmp`. Variable time: public data only. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

const encoder = new TextEncoder();

/** Encodes a text as UTF-8. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** Encodes a name in 32 bytes, padded with zeros, for use as the domain separator of a hash. */
export function paddedName(name: string): Uint8Array {
  const bytes = new Uint8Array(32);
  bytes.set(utf8(name));
  return bytes;
}

/** Splits a byte string into records of one size. @throws RangeError if its length is not a multiple of `size`. */
export function chunks(run: Uint8Array, size: number): Uint8Array[] {
  if (run.length % size !== 0)
    throw new RangeError(`expected a multiple of ${size} bytes, got ${run.length}`);
  return Array.from({ length: run.length / size }, (_, i) => run.subarray(i * size, (i + 1) * size));
}

/**
 * Decodes WebAssembly that a module returns as base64. The WebAssembly is not a file, so that it is found wherever
 * Node.js runs.
 */
export const wasmBinary = (base64: () => string): Uint8Array<ArrayBuffer> => fromBase64(base64());
