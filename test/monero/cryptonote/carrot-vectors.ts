import { readFileSync } from 'node:fs';
import { fromHex } from '../../../src/util/bytes.js';
import { CodecError } from '../../../src/util/codec.js';

/** Output of a vector: its ephemeral key, then the fields of its encoding. */
export interface VectorOutput {
  readonly key: string;
  readonly outputKey: string;
  readonly viewTag: string;
  readonly encryptedAnchor: string;
  readonly amount?: string;
  readonly commitment?: string;
  readonly encryptedAmount?: string;
}

/** A transaction of RingCT type 7 without its prunable part. */
export interface VectorTx {
  readonly note: string;
  readonly hash: string;
  readonly prunableHash: string;
  readonly fee: string;
  readonly keyImages: readonly string[];
  readonly pruned: string;
}

export interface VectorBlock {
  readonly note: string;
  readonly hash: string;
  readonly minerTxHash: string;
  readonly blob: string;
}

interface CarrotFormats {
  readonly made: {
    readonly transactions: readonly (VectorTx & {
      readonly prunableBytes: number;
      readonly encryptedPaymentId: string | null;
      readonly outputs: readonly VectorOutput[];
    })[];
    readonly blocks: readonly (VectorBlock & {
      readonly height: number;
      readonly version: number;
      readonly timestamp: number;
      readonly txHashes: readonly string[];
      readonly layers: number;
      readonly root: string;
      readonly outputs: readonly VectorOutput[];
    })[];
  };
  readonly real: {
    /** One of them has its prunable part, too. */
    readonly transactions: readonly (VectorTx & {
      readonly prunable?: string;
      readonly layers?: number;
      readonly referenceBlock?: number;
    })[];
    readonly blocks: readonly (VectorBlock & { readonly weight: number })[];
  };
  readonly proofSizes: readonly (readonly [inputs: number, layers: number, size: number])[];
}

/** Blocks and transactions in the form of the next fork. */
export const carrotFormats = JSON.parse(
  readFileSync(new URL('../../../../test/vectors/cryptonote/carrot-formats.json', import.meta.url), 'utf8'),
) as CarrotFormats;

export const allTxs: readonly VectorTx[] = [
  ...carrotFormats.made.transactions,
  ...carrotFormats.real.transactions,
];
export const allBlocks: readonly VectorBlock[] = [...carrotFormats.made.blocks, ...carrotFormats.real.blocks];

/** The inputs that a parser does not refuse with a CodecError. */
export const acceptedOf = (
  inputs: readonly Uint8Array[],
  parse: (input: Uint8Array) => unknown,
): Uint8Array[] =>
  inputs.filter((input) => {
    try {
      parse(input);
      return true;
    } catch (error) {
      if (error instanceof CodecError) return false;
      throw error;
    }
  });

/** The bytes with one bit changed, for each byte another one. */
export const flippedBits = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from(bytes, (byte, at) => {
    const changed = Uint8Array.from(bytes);
    changed[at] = byte ^ (1 << (at & 7));
    return changed;
  });

/** The bytes before a given length, and the bytes with one more. */
export const otherLengths = (hex: string): readonly Uint8Array[] => {
  const bytes = fromHex(hex);
  return [
    ...Array.from({ length: bytes.length }, (_, length) => bytes.subarray(0, length)),
    Uint8Array.of(...bytes, 0),
  ];
};
