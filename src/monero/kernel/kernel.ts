import { INPUT_CONTEXT_BYTES } from '../fork-rules.js';
import { NO_CONTEXT } from '../format.js';
import type { OwnOutputs, WalletSecrets } from '../cryptonote/own-outputs.js';

export { NO_CONTEXT, NO_VIEW_TAG, UNSCANNED_TAG } from '../format.js';

/**
 * Outputs and transaction public keys to scan, in flat arrays, which can be copied to a thread or into WebAssembly.
 * Output `j` is tried with the derivation of the key at index `outputKey[j]`.
 */
export interface ScanBatch {
  /**
   * Transaction public keys R, or ephemeral keys D of the fork, 32 bytes each. A key R that is not a point has no hits;
   * every key D is valid.
   */
  readonly keys: Uint8Array;
  readonly outputKey: Uint32Array;
  /** For each output, its index in its transaction. */
  readonly outputIndex: Uint32Array;
  /**
   * For each output, its view tag. Beside a key of the old form: 0 to 255, or `NO_VIEW_TAG`, with which every view secret key is
   * a candidate. Beside a key with an input context: the three bytes of the tag, the least significant first, or
   * `UNSCANNED_TAG`, with which none is.
   */
  readonly viewTags: Uint32Array;
  /**
   * Output keys P, 32 bytes each. An output of the old form whose key is not a point is never a hit; in the form of the fork
   * such an output may be one.
   */
  readonly outputs: Uint8Array;
  /** Input contexts of the transactions in the form of the fork; absent if the batch has none. */
  readonly contexts?: InputContexts;
}

/**
 * Input contexts of the transactions in a batch. A key with an input context is an ephemeral key D, of X25519; its outputs
 * have view tags of three bytes, which bind the input context.
 */
export interface InputContexts {
  /** For each key of the batch, the index of its input context in `bytes`, or `NO_CONTEXT` for a key of the old form. */
  readonly ofKeys: Uint32Array;
  /** Input contexts, 33 bytes each. */
  readonly bytes: Uint8Array;
}

/** Secret keys with which a wallet scans. */
export interface ScanKeys {
  /** View secret key: scalar `a`, 32 bytes, 1 ≤ a < ℓ; it is multiplied in constant time. */
  readonly viewSecret: Uint8Array;
  /** View-balance secret of an account of the fork, 32 bytes; absent: outputs of the wallet to itself are not found by it. */
  readonly balanceSecret?: Uint8Array;
}

/** Hits of a wallet: the outputs of a batch whose view tag matches, and the outputs without a view tag. */
export interface ScanHits {
  /**
   * Indices `j` of the hits in the batch, ascending. An output of the fork that is found with both secrets has two hits:
   * first the one with the view secret key.
   */
  readonly outputs: Uint32Array;
  /**
   * For each hit, `D = 8·a·R`, 32 bytes; for a hit of the fork its shared secret s_sr, which is `a·D` by X25519 or, of
   * an internal hit, the view-balance secret. Secret.
   */
  readonly derivations: Uint8Array;
  /**
   * For each hit, `P - Hs(D, i)·G`, 32 bytes. If the output belongs to the wallet, this is the spend public key of the
   * paid address. Zeros for a hit of the fork.
   */
  readonly spendKeys: Uint8Array;
  /** For each hit, 1 if it was found with the view-balance secret, otherwise 0. */
  readonly internal: Uint8Array;
}

/** Returns the input context of a key, or undefined for a key of the old form. */
export function contextOf({ contexts }: ScanBatch, key: number): Uint8Array | undefined {
  const index = contexts?.ofKeys[key] ?? NO_CONTEXT;
  if (index === NO_CONTEXT) return undefined;
  const start = INPUT_CONTEXT_BYTES * index;
  return contexts?.bytes.subarray(start, start + INPUT_CONTEXT_BYTES);
}

/**
 * Cost of the window table of a transaction key, which all view secret keys share; the unit is one product of the key
 * and a view secret key.
 */
export const TABLE_SCALARS = 4;

/** Returns the hits of the wallet at an index. @throws RangeError if there is no such wallet. */
export function hitsAt(all: readonly ScanHits[], place: number): ScanHits {
  const hits = all[place];
  if (hits === undefined) throw new RangeError('a scan without the hits of every key');
  return hits;
}

/** Curve arithmetic for scanning in batches. All implementations give the same result for every input. */
export interface ScanKernel {
  readonly name: string;
  /**
   * Finds the outputs of a batch that may belong to a wallet.
   * @throws RangeError for a view secret key of ℓ or more.
   */
  scan(batch: ScanBatch, keys: ScanKeys): ScanHits;
  /**
   * Finds the outputs of a batch that may belong to each of several wallets, as {@link scan} does. The doublings of a
   * transaction key are computed once for all view secret keys. The memory grows with keys × view secret keys, for up
   * to 128 view secret keys at once.
   * @returns the hits of each wallet, in the order of `keys`.
   * @throws RangeError if a view secret key is ℓ or more.
   */
  scanMany(batch: ScanBatch, keys: readonly ScanKeys[]): readonly ScanHits[];
  /**
   * Computes `B + Hs(m)·G` for every message m, 32 bytes each.
   * @param point B, 32 bytes.
   * @param messages joined messages of `length` bytes each, at most 63.
   * @throws RangeError if B is not a point.
   */
  addHashes(point: Uint8Array, messages: Uint8Array, length: number): Uint8Array;
  /**
   * Computes `s·P` of every point in constant time, 32 bytes each.
   * @param points points of the main subgroup, 32 bytes each.
   * @param secret scalar s, 32 bytes, 1 ≤ s < ℓ.
   * @throws RangeError if an encoding is not a point, or the scalar is ℓ or more.
   */
  multiply(points: Uint8Array, secret: Uint8Array): Uint8Array;
  /**
   * Computes the commitments `mask·G + amount·H`, 32 bytes each.
   * @param amounts atomic units.
   * @param masks scalars, 32 bytes each.
   * @throws RangeError if a scalar is ℓ or more.
   */
  commit(amounts: readonly bigint[], masks: Uint8Array): Uint8Array;
  /**
   * Computes the key images `x·Hp(P)`, 32 bytes each.
   * @param outputKeys P, 32 bytes each.
   * @param secrets scalars x, 32 bytes each.
   * @throws RangeError if a scalar is ℓ or more.
   */
  keyImages(outputKeys: Uint8Array, secrets: Uint8Array): Uint8Array;
  /**
   * Computes the key images `x·Hp(P)` of outputs of the wallet, 32 bytes each, in constant time for the secret keys. `x
   * = Hs(D, i) + b`, plus the secret of the paid address unless that is the primary address.
   * @throws RangeError if a secret key is ℓ or more.
   */
  ownKeyImages(outputs: OwnOutputs, secrets: WalletSecrets): Uint8Array;
}
