import type { Hash } from '../../monero/crypto/types.js';
import { chunks, joinBytes } from '../../util/bytes.js';
import type { BlockRef } from '../../monero/wallet/model/records.js';

/** Joins hashes into one byte string, which crosses to another thread faster than a list. */
export const packHashes = (hashes: readonly Hash[]): Uint8Array => joinBytes(hashes);

/** Splits packed hashes into views of the same memory. @throws RangeError when the length is not a multiple of 32. */
export const unpackHashes = (packed: Uint8Array): Hash[] => chunks(packed, 32) as Hash[];

/** Heights and hashes of blocks, with the hashes packed into one byte string. */
export interface PackedBlocks {
  readonly heights: readonly number[];
  /** Hashes of the blocks, 32 bytes each. */
  readonly hashes: Uint8Array;
}

export const packBlocks = (blocks: readonly BlockRef[]): PackedBlocks => ({
  heights: blocks.map(({ height }) => height),
  hashes: packHashes(blocks.map(({ hash }) => hash)),
});

/** Unpacks references to blocks; their hashes are views of the packed memory. */
export function unpackBlocks({ heights, hashes }: PackedBlocks): BlockRef[] {
  const split = unpackHashes(hashes);
  return heights.flatMap((height, i) => {
    const hash = split[i];
    return hash === undefined ? [] : [{ height, hash }];
  });
}
