/** In {@link ScanBatch.viewTags}: the output carries no tag, so nothing can be ruled out early. */
export const NO_VIEW_TAG = 0x100;

/**
 * The work of one scan, flat so that it crosses to another thread, or into WebAssembly memory, at once.
 * Output `j` is tried with the derivation of key `outputKey[j]`.
 */
export interface ScanBatch {
  /** Transaction public keys R, 32 bytes each. A key that is not a point opens nothing. */
  readonly keys: Uint8Array;
  readonly outputKey: Uint32Array;
  /** Position of the output within its transaction. */
  readonly outputIndex: Uint32Array;
  /** 0 to 255, or {@link NO_VIEW_TAG}. */
  readonly viewTags: Uint16Array;
  /** Output public keys P, 32 bytes each. One that is not a point is nobody's. */
  readonly outputs: Uint8Array;
}

/** The outputs of a batch that may be ours: those whose view tag fits, or that have none. */
export interface ScanHits {
  /** Indices `j` into the batch's outputs, ascending. */
  readonly outputs: Uint32Array;
  /** `D = 8·a·R`, 32 bytes a hit. Secret. */
  readonly derivations: Uint8Array;
  /** `P - Hs(D, i)·G`, 32 bytes a hit: the spend key of the address that was paid, if it is one of ours. */
  readonly spendKeys: Uint8Array;
}

/**
 * Batch curve arithmetic. Implementations agree on every input, and satisfy the same tests.
 */
export interface ScanKernel {
  readonly name: string;
  /** @param viewSecret scalar `a` below ℓ, 32 bytes, not zero; in constant time. @throws RangeError for ℓ or more. */
  scan(batch: ScanBatch, viewSecret: Uint8Array): ScanHits;
  /**
   * {@link scan} with several view secrets, sharing the work that depends on the keys alone.
   * @returns the hits of each secret, in order. @throws RangeError when one is ℓ or more.
   */
  scanMany(batch: ScanBatch, viewSecrets: readonly Uint8Array[]): readonly ScanHits[];
  /**
   * `B + Hs(m)·G` for every message m, 32 bytes each.
   * @param messages of `length` bytes each, 63 at most. @throws RangeError when B is not a point.
   */
  addHashes(point: Uint8Array, messages: Uint8Array, length: number): Uint8Array;
  /**
   * `s·P` of every point, 32 bytes each.
   * @param points of the main subgroup. @param secret scalar s below ℓ, 32 bytes, not zero; in constant time.
   * @throws RangeError when a point is none, or the scalar is ℓ or more.
   */
  multiply(points: Uint8Array, secret: Uint8Array): Uint8Array;
  /** Commitments `mask·G + amount·H`, 32 bytes each. @param masks scalars, 32 bytes each. @throws RangeError for ℓ or more. */
  commit(amounts: readonly bigint[], masks: Uint8Array): Uint8Array;
  /** `x·Hp(P)`, 32 bytes each. @param secrets scalars x, 32 bytes each. @throws RangeError for ℓ or more. */
  keyImages(outputKeys: Uint8Array, secrets: Uint8Array): Uint8Array;
}
