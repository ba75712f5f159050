import type { OwnOutputs, WalletSecrets } from '../cryptonote/own-outputs.js';

/** In {@link ScanBatch.viewTags}: the output has no view tag, so every view secret may own it. */
export const NO_VIEW_TAG = 0x100;

/**
 * Outputs and transaction public keys to scan, in flat arrays: they can be copied to a thread or into WebAssembly.
 * Output `j` is tried with the derivation of key `outputKey[j]`.
 */
export interface ScanBatch {
  /** Transaction public keys R, 32 bytes each. A key that is not a point has no hits. */
  readonly keys: Uint8Array;
  readonly outputKey: Uint32Array;
  /** Index of the output in its transaction. */
  readonly outputIndex: Uint32Array;
  /** From 0 to 255, or {@link NO_VIEW_TAG}. */
  readonly viewTags: Uint16Array;
  /** Output public keys P, 32 bytes each. One that is not a point is never a hit. */
  readonly outputs: Uint8Array;
}

/** Hits of a view secret: the outputs of a batch whose view tag matches, or that have none. */
export interface ScanHits {
  /** Indices `j` of outputs of the batch, ascending. */
  readonly outputs: Uint32Array;
  /** `D = 8·a·R`, 32 bytes a hit. Secret. */
  readonly derivations: Uint8Array;
  /** `P - Hs(D, i)·G`, 32 bytes a hit: if the wallet owns the output, the public spend key of its address. */
  readonly spendKeys: Uint8Array;
}

/** Cost of the window table of a transaction key, which all view secrets share, in products of the key and a view secret. */
export const TABLE_SCALARS = 4;

/** Returns the hits of a view secret by its place. @throws RangeError for a scan that lacks them. */
export function hitsAt(all: readonly ScanHits[], place: number): ScanHits {
  const hits = all[place];
  if (hits === undefined) throw new RangeError('a scan without the hits of every key');
  return hits;
}

/** Batch curve arithmetic. All implementations give the same results for every input. */
export interface ScanKernel {
  readonly name: string;
  /**
   * Finds the outputs of a batch that a view secret may own.
   * @param viewSecret scalar `a`, 32 bytes, 1 ≤ a < ℓ; multiplied in constant time. @throws RangeError for ℓ or more.
   */
  scan(batch: ScanBatch, viewSecret: Uint8Array): ScanHits;
  /**
   * Finds the outputs of a batch that each of several view secrets may own, as {@link scan}; the doublings of a
   * transaction key are computed once for all secrets. Memory grows with keys × secrets, up to 128 secrets.
   * @returns the hits of each secret, in the order of the secrets. @throws RangeError when one is ℓ or more.
   */
  scanMany(batch: ScanBatch, viewSecrets: readonly Uint8Array[]): readonly ScanHits[];
  /**
   * Computes `B + Hs(m)·G` for every message m, 32 bytes each.
   * @param messages of `length` bytes each, at most 63. @throws RangeError when B is not a point.
   */
  addHashes(point: Uint8Array, messages: Uint8Array, length: number): Uint8Array;
  /**
   * Computes `s·P` of every point in constant time, 32 bytes each.
   * @param points of the main subgroup. @param secret scalar s, 32 bytes, 1 ≤ s < ℓ.
   * @throws RangeError when an encoding is not a point, or the scalar is ℓ or more.
   */
  multiply(points: Uint8Array, secret: Uint8Array): Uint8Array;
  /**
   * Computes commitments `mask·G + amount·H`, 32 bytes each.
   * @param masks scalars, 32 bytes each. @throws RangeError when one is ℓ or more.
   */
  commit(amounts: readonly bigint[], masks: Uint8Array): Uint8Array;
  /**
   * Computes key images `x·Hp(P)`, 32 bytes each.
   * @param secrets scalars x, 32 bytes each. @throws RangeError when one is ℓ or more.
   */
  keyImages(outputKeys: Uint8Array, secrets: Uint8Array): Uint8Array;
  /**
   * Computes key images `x·Hp(P)` of own outputs, 32 bytes each, in constant time for the secrets;
   * `x = Hs(D, i) + b`, plus the secret of the paid address unless that is the primary one.
   * @throws RangeError when a secret is ℓ or more.
   */
  ownKeyImages(outputs: OwnOutputs, secrets: WalletSecrets): Uint8Array;
}
