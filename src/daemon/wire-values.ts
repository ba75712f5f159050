import type { Hash } from '../monero/crypto/types.js';
import { bytes32 } from '../util/bytes.js';
import { CodecError } from '../util/codec.js';

export const hashOf = (bytes: Uint8Array): Hash => bytes32<'Hash'>(bytes, 'Hash');

export const blobOf = (value: Uint8Array) => ({ type: 'string', value }) as const;

/** Converts a bigint to a number. @throws CodecError for another type, a negative value, or a value above 2^53 − 1. */
export function toIndex(value: unknown): number {
  if (typeof value !== 'bigint' || value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new CodecError('index out of range');
  return Number(value);
}
