import type { Hash } from '../crypto/types.js';
import { SectionReader } from '../epee/portable-storage.js';
import { bytes32 } from '../util/bytes.js';
import { CodecError } from '../util/codec.js';

export const hashOf = (bytes: Uint8Array): Hash => bytes32<'Hash'>(bytes, 'Hash');

export const blobOf = (value: Uint8Array) => ({ type: 'string', value }) as const;

/** @throws CodecError */
export const asSection = (value: unknown): SectionReader => {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || Array.isArray(value))
    throw new CodecError('expected an object');
  return new SectionReader(value as ConstructorParameters<typeof SectionReader>[0]);
};

/** @throws CodecError unless it is a safe integer that is not negative. */
export function toIndex(value: unknown): number {
  if (typeof value !== 'bigint' || value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new CodecError('index out of range');
  return Number(value);
}
