import fc from 'fast-check';
import { concatBytes, toHex } from '../../../src/util/bytes.js';
import { HOSTILE_BYTES, HOSTILE_TEXTS } from './hostile-values.js';

/* Mutations of valid inputs; the original itself is never produced. */

type Part<T> = (original: T, from: number, to: number) => T;

/** Cuts the original at two positions and rearranges the parts. */
function recut<T extends { readonly length: number }>(
  original: T,
  same: (a: T, b: T) => boolean,
  parts: readonly fc.Arbitrary<Part<T>>[],
): fc.Arbitrary<T> {
  const place = fc.nat(original.length);
  return fc
    .tuple(place, place, fc.oneof(...parts))
    .map(([a, b, part]) => part(original, Math.min(a, b), Math.max(a, b)))
    .filter((changed) => !same(changed, original));
}

export function mutatedBytes(original: Uint8Array): fc.Arbitrary<Uint8Array> {
  const hostile = fc.constantFrom(...HOSTILE_BYTES);
  return recut<Uint8Array>(original, (a, b) => Buffer.compare(a, b) === 0, [
    fc.nat(7).map((bit) => (bytes, from) => {
      const changed = Uint8Array.from(bytes);
      if (from < changed.length) changed[from] = (changed[from] ?? 0) ^ (1 << bit);
      return changed;
    }),
    hostile.map((put) => (bytes, from) => {
      const changed = Uint8Array.from(bytes);
      changed.set(put.subarray(0, bytes.length - from), from);
      return changed;
    }),
    hostile.map((put) => (bytes, from) => concatBytes(bytes.subarray(0, from), put, bytes.subarray(from))),
    fc.constant((bytes, from) => bytes.subarray(0, from)),
    fc.constant((bytes, from, to) => concatBytes(bytes.subarray(0, from), bytes.subarray(to))),
    fc.constant((bytes, from, to) =>
      concatBytes(bytes.subarray(0, to), bytes.subarray(from, to), bytes.subarray(to)),
    ),
    fc.constant((bytes, from, to) =>
      concatBytes(bytes.subarray(from, to), bytes.subarray(0, from), bytes.subarray(to)),
    ),
  ]);
}

/** Mutates a text. @param letters alphabet of such texts. */
export function mutatedText(original: string, letters: string): fc.Arbitrary<string> {
  const put = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...letters) },
    { weight: 1, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  );
  return recut<string>(original, (a, b) => a === b, [
    put.map((piece) => (text, from) => text.slice(0, from) + piece + text.slice(from + 1)),
    put.map((piece) => (text, from) => text.slice(0, from) + piece + text.slice(from)),
    fc.constant((text, from) => text.slice(0, from)),
    fc.constant((text, from, to) => text.slice(0, from) + text.slice(to)),
    fc.constant((text, from, to) => text.slice(0, to) + text.slice(from)),
    fc.constant((text, from, to) => text.slice(from, to) + text.slice(0, from) + text.slice(to)),
    fc.constant((text) => text.repeat(20)),
  ]);
}

/** Hex of mutated bytes, and malformed hex. */
export const mutatedHex = (original: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: mutatedBytes(Uint8Array.from(Buffer.from(original, 'hex'))).map(toHex) },
    { weight: 1, arbitrary: mutatedText(original, '0123456789abcdefgxz') },
  );
