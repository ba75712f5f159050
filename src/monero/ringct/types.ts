import type { Commitment, Hash, KeyImage, PublicKey } from '../crypto/types.js';
import type { Amount } from '../../util/amount.js';
import type { Bytes } from '../../util/bytes.js';

/** 32 bytes, public scalar of a proof. */
export type ProofScalar = Bytes<'ProofScalar'>;
/** 32 bytes, public point of a proof. */
export type ProofPoint = Bytes<'ProofPoint'>;

/**
 * RingCT signature types as numbered on the wire. Source: ringct/rctTypes.h.
 * 0 none (miner transactions), 1 full MLSAG + Borromean, 2 simple MLSAG + Borromean, 3 Bulletproofs,
 * 4 Bulletproofs with 8-byte amounts, 5 CLSAG + Bulletproofs, 6 CLSAG + Bulletproofs+.
 */
export type RctType = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** Encrypted amount. Types 1 to 3: 32-byte `mask` and `amount`; types 4 to 6: 8-byte `amount`. */
export interface EcdhInfo {
  readonly mask?: Uint8Array;
  readonly amount: Uint8Array;
}

/** The part of a RingCT signature that pruning keeps. */
export interface RctBase {
  readonly type: RctType;
  /** Zero for type 0. */
  readonly fee: Amount;
  /** Type 2 only; later types carry them in the prunable part. */
  readonly pseudoOuts: readonly Commitment[];
  readonly ecdhInfo: readonly EcdhInfo[];
  /** Output commitments, one per output. */
  readonly outPk: readonly Commitment[];
}

export interface BorromeanRangeSig {
  readonly s0: readonly ProofScalar[];
  readonly s1: readonly ProofScalar[];
  readonly ee: ProofScalar;
  readonly Ci: readonly ProofPoint[];
}

/** V (the commitments) is not encoded: it follows from `outPk`. */
export interface Bulletproof {
  readonly A: ProofPoint;
  readonly S: ProofPoint;
  readonly T1: ProofPoint;
  readonly T2: ProofPoint;
  readonly taux: ProofScalar;
  readonly mu: ProofScalar;
  readonly L: readonly ProofPoint[];
  readonly R: readonly ProofPoint[];
  readonly a: ProofScalar;
  readonly b: ProofScalar;
  readonly t: ProofScalar;
}

/** V is not encoded: it follows from `outPk`. */
export interface BulletproofPlus {
  readonly A: ProofPoint;
  readonly A1: ProofPoint;
  readonly B: ProofPoint;
  readonly r1: ProofScalar;
  readonly s1: ProofScalar;
  readonly d1: ProofScalar;
  readonly L: readonly ProofPoint[];
  readonly R: readonly ProofPoint[];
}

/** `ss[ringMember][column]`. The key images are those of the inputs. */
export interface Mlsag {
  readonly ss: readonly (readonly ProofScalar[])[];
  readonly cc: ProofScalar;
}

/** The key image is the input's. */
export interface Clsag {
  readonly s: readonly ProofScalar[];
  readonly c1: ProofScalar;
  /** Commitment key image, divided by 8. */
  readonly D: ProofPoint;
}

/** The part of a RingCT signature that pruning drops. Lists that a type does not have are empty. */
export interface RctPrunable {
  readonly rangeSigs: readonly BorromeanRangeSig[];
  readonly bulletproofs: readonly Bulletproof[];
  readonly bulletproofsPlus: readonly BulletproofPlus[];
  readonly mlsags: readonly Mlsag[];
  readonly clsags: readonly Clsag[];
  /** Types 3 to 6. */
  readonly pseudoOuts: readonly Commitment[];
}

/** A ring member: an output of the chain. */
export interface RingMember {
  readonly publicKey: PublicKey;
  readonly commitment: Commitment;
}

/** The message that ring signatures sign, `get_pre_mlsag_hash`. */
export type SignedMessage = Hash;
export type { KeyImage };
