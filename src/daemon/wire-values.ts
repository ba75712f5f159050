import type { Hash } from '../monero/crypto/types.js';
import { bytes32 } from '../util/bytes.js';
import { CodecError } from '../util/codec.js';

export const hashOf = (bytes: Uint8Array): Hash => bytes32<'Hash'>(bytes, 'Hash');

export const blobOf = (value: Uint8Array) => ({ type: 'string', value }) as const;

/** Converts a bigint. @throws CodecError unless it is a safe integer that is not negative. */
export function toIndex(value: unknown): number {
  if (typeof value !== 'bigint' || value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new CodecError('index out of range');
  return Number(value);
}
