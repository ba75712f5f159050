import type { Hash } from '../../monero/crypto/types.js';
import { chunks, joinBytes } from '../../util/bytes.js';
import type { BlockRef } from '../../monero/wallet/model/records.js';

/** Joins hashes to one run of bytes, which crosses to another thread faster than a list. */
export const packHashes = (hashes: readonly Hash[]): Uint8Array => joinBytes(hashes);

/** Splits packed hashes; they share memory. @throws RangeError when the length is not a multiple of 32. */
export const unpackHashes = (packed: Uint8Array): Hash[] => chunks(packed, 32) as Hash[];

/** References to blocks whose hashes are packed. */
export interface PackedBlocks {
  readonly heights: readonly number[];
  /** 32 bytes per block. */
  readonly hashes: Uint8Array;
}

export const packBlocks = (blocks: readonly BlockRef[]): PackedBlocks => ({
  heights: blocks.map(({ height }) => height),
  hashes: packHashes(blocks.map(({ hash }) => hash)),
});

/** Splits packed references; their hashes share memory. */
export function unpackBlocks({ heights, hashes }: PackedBlocks): BlockRef[] {
  const split = unpackHashes(hashes);
  return heights.flatMap((height, i) => {
    const hash = split[i];
    return hash === undefined ? [] : [{ height, hash }];
  });
}
