import type { Commitment, PublicKey } from '../crypto/types.js';
import type { Amount } from '../../util/amount.js';
import type { Bytes } from '../../util/bytes.js';

/**
 * Public scalar of a proof, 32 bytes.
 * @example
 * const scalar: ProofScalar = tx.rct.prunable.clsags[0].c1;
 * scalar.length; // => 32
 */
export type ProofScalar = Bytes<'ProofScalar'>;
/**
 * Public point of a proof, 32 bytes.
 * @example
 * const point: ProofPoint = tx.rct.prunable.clsags[0].D;
 * point.length; // => 32
 */
export type ProofPoint = Bytes<'ProofPoint'>;

/**
 * RingCT types by their number in the encoding. 0: no signatures (miner transactions). 1: full MLSAG and Borromean
 * proofs. 2: simple MLSAG and Borromean proofs. 3: simple MLSAG and Bulletproofs. 4: as type 3, with 8-byte amounts. 5:
 * CLSAG and Bulletproofs. 6: CLSAG and Bulletproofs+. 7: membership proof and Bulletproofs+. Source: ringct/rctTypes.h.
 * @example
 * const type: RctType = tx.rct.base.type;
 * type; // => 6
 */
export type RctType = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

/**
 * Encrypted amount of an output. Types 1 to 3 have `mask` and `amount` of 32 bytes; types 4 to 7 have an `amount` of 8
 * bytes.
 * @example
 * const [info]: readonly EcdhInfo[] = tx.rct.base.ecdhInfo;
 * info.amount.length; // => 8
 */
export interface EcdhInfo {
  readonly mask?: Uint8Array;
  readonly amount: Uint8Array;
}

/**
 * The part of a RingCT signature that remains in a pruned transaction.
 * @example
 * const { fee }: RctBase = tx.rct.base;
 * formatCoins(fee); // => '0.002605200000'
 */
export interface RctBase {
  readonly type: RctType;
  /** Fee [atomic units]; zero for type 0. */
  readonly fee: Amount;
  /** Pseudo outputs of type 2; later types have them in the prunable part. */
  readonly pseudoOuts: readonly Commitment[];
  readonly ecdhInfo: readonly EcdhInfo[];
  /** Commitments of the outputs, one per output. */
  readonly outPk: readonly Commitment[];
}

/**
 * Range proof of types 1 and 2: a Borromean ring signature for the bits of an amount.
 * @example
 * const proofs: readonly BorromeanRangeSig[] = tx.rct.prunable.rangeSigs;
 * proofs.length; // => 0
 */
export interface BorromeanRangeSig {
  readonly s0: readonly ProofScalar[];
  readonly s1: readonly ProofScalar[];
  readonly ee: ProofScalar;
  readonly Ci: readonly ProofPoint[];
}

/**
 * A Bulletproof without the commitments V, which follow from `outPk`.
 * @example
 * const proofs: readonly Bulletproof[] = tx.rct.prunable.bulletproofs;
 * proofs.length; // => 0
 */
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

/**
 * A Bulletproof+ without the commitments V, which follow from `outPk`.
 * @example
 * const [proof]: readonly BulletproofPlus[] = tx.rct.prunable.bulletproofsPlus;
 * proof.L.length; // => 7
 */
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

/**
 * An MLSAG signature: `ss[ringMember][column]`. It has the key images of the inputs.
 * @example
 * const signatures: readonly Mlsag[] = tx.rct.prunable.mlsags;
 * signatures.length; // => 0
 */
export interface Mlsag {
  readonly ss: readonly (readonly ProofScalar[])[];
  readonly cc: ProofScalar;
}

/**
 * A CLSAG signature. It has the key image of the input.
 * @example
 * const [signature]: readonly Clsag[] = tx.rct.prunable.clsags;
 * signature.s.length; // => 16
 */
export interface Clsag {
  readonly s: readonly ProofScalar[];
  readonly c1: ProofScalar;
  /** Key image of the commitment, divided by 8. */
  readonly D: ProofPoint;
}

/**
 * Proofs that the inputs spend outputs of the chain, in place of ring signatures.
 * @example
 * const proofs: FcmpProofs | undefined = tx.rct.prunable.fcmp;
 * proofs; // => undefined
 */
export interface FcmpProofs {
  /** Height of the block that names the tree of outputs. */
  readonly referenceBlock: number;
  /** Number of layers of the tree, 1 to 12. */
  readonly layers: number;
  /** Proofs of all inputs; the numbers of inputs and layers fix their size. */
  readonly proof: Uint8Array;
}

/**
 * The part of a RingCT signature that pruning removes. A list that the type does not have is empty.
 * @example
 * const { pseudoOuts }: RctPrunable = tx.rct.prunable;
 * pseudoOuts.length; // => 2
 */
export interface RctPrunable {
  readonly rangeSigs: readonly BorromeanRangeSig[];
  readonly bulletproofs: readonly Bulletproof[];
  readonly bulletproofsPlus: readonly BulletproofPlus[];
  readonly mlsags: readonly Mlsag[];
  readonly clsags: readonly Clsag[];
  /** Proofs of type 7, and of no other type. */
  readonly fcmp?: FcmpProofs;
  /** Pseudo outputs of types 3 to 7. */
  readonly pseudoOuts: readonly Commitment[];
}

/** Output key and commitment of a ring member, which is an output of the chain. */
export interface RingMember {
  readonly publicKey: PublicKey;
  readonly commitment: Commitment;
}
