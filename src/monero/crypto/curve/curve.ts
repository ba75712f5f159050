import { fromHex } from '../../../util/bytes.js';
import { GENERATOR_T } from '../../fork-rules.js';
import type { PublicKey } from '../types.js';

/**
 * Batch arithmetic on compressed points of 32 bytes. All implementations give the same result for every input.
 * Operations take variable time, for public or blinded inputs, unless their comment says otherwise.
 */
export interface Curve {
  readonly name: string;
  /**
   * Computes commitments `mask·G + amount·H`, 32 bytes each, in constant time.
   * @param amounts atomic units.
   * @param masks scalars below ℓ, 32 bytes each.
   * @throws RangeError for a scalar of ℓ or more.
   */
  commit(amounts: readonly bigint[], masks: Uint8Array): Uint8Array;
  /**
   * Computes `x·Hp(P)` for each output key P, 32 bytes each, in constant time for x.
   * @param secrets scalars x below ℓ, 32 bytes each.
   * @throws RangeError for a scalar of ℓ or more.
   */
  keyImages(outputKeys: Uint8Array, secrets: Uint8Array): Uint8Array;
  /**
   * Computes `s·P` for each point P, in constant time.
   * @param secrets scalars below ℓ, one per point.
   * @throws RangeError for an invalid point, or a scalar of ℓ or more.
   */
  multiplySecret(points: readonly Uint8Array[], secrets: readonly Uint8Array[]): Uint8Array[];
  /** Computes `P + s·G` for each point P; otherwise as {@link multiplySecret}. */
  addSecretMultiples(points: readonly Uint8Array[], secrets: readonly Uint8Array[]): Uint8Array[];
  /**
   * Computes `P + x·G + y·T` for each point P, in constant time for x and y; T is the second generator of output keys of
   * the fork.
   * @param ofG scalars x below ℓ, one per point.
   * @param ofT scalars y below ℓ, one per point.
   * @throws RangeError as {@link multiplySecret}.
   */
  addMultiplesOfBoth(
    points: readonly Uint8Array[],
    ofG: readonly Uint8Array[],
    ofT: readonly Uint8Array[],
  ): Uint8Array[];
  /**
   * Multiplies a u-coordinate of Curve25519 by a scalar that is not clamped, as X25519 does, in constant time for the
   * scalar. Every u is valid; the product is 0 if it is infinite.
   * @param u 32 bytes; bit 255 is ignored, and numbers of p or more are reduced.
   * @param scalar 32 bytes, below ℓ.
   * @throws RangeError for a scalar of ℓ or more, or another length.
   */
  x25519(u: Uint8Array, scalar: Uint8Array): Uint8Array;
  /**
   * Hashes a message as the fork does, by Blake2b with its personalisation.
   * @param length length of the hash, which is a parameter of Blake2b: a shorter hash is no part of a longer one; at most 64
   * [bytes].
   * @param message at most {@link MOST_MESSAGE} bytes.
   * @param key secret key of at most 64 bytes; absent: the hash has no key.
   * @throws RangeError for a longer hash, message or key.
   */
  forkHash(length: number, message: Uint8Array, key?: Uint8Array): Uint8Array;
  /** Computes the hash to a point H_p^2 of an output key of the fork, 32 bytes. */
  hashToPointUnbiased(outputKey: Uint8Array): Uint8Array;
  /** Computes the key images `x·H_p^2(K)` of outputs of the fork; otherwise as {@link keyImages}. */
  unbiasedKeyImages(outputKeys: Uint8Array, secrets: Uint8Array): Uint8Array;
  /** Computes `Hp(data)` for each item, 32 bytes each. */
  hashToPoints(data: readonly Uint8Array[]): Uint8Array[];
  arePoints(all: readonly Uint8Array[]): boolean;
  /**
   * Returns for each byte string whether it is the encoding of a point in the prime-order subgroup; the identity is
   * such a point. Source: rctOps `isInMainSubgroup`.
   */
  eachInMainSubgroup(all: readonly Uint8Array[]): boolean[];
  /**
   * Computes `n·P` for each point P. The factor is the integer 0 ≤ n < 2^256, not its residue modulo ℓ.
   * @throws RangeError for an invalid point.
   */
  multiplyEach(points: readonly Uint8Array[], n: bigint): Uint8Array[];
  /** Computes `P - Q` for each point P. @throws RangeError for an invalid point. */
  subtractFromEach(points: readonly Uint8Array[], subtrahend: Uint8Array): Uint8Array[];
  /**
   * Computes `Σ sᵢ·Pᵢ`.
   * @param scalars any residues modulo ℓ; each point is multiplied by the representative in [0, ℓ), which matters for
   * points with torsion.
   * @throws RangeError for an invalid point, or if the numbers of scalars and points differ.
   */
  multiexp(points: readonly Uint8Array[], scalars: readonly bigint[]): Uint8Array;
  /**
   * Computes two sums with the same scalars, of at most {@link MOST_TWINS} terms.
   * @throws RangeError as {@link multiexp}.
   */
  twinSums(
    left: readonly Uint8Array[],
    right: readonly Uint8Array[],
    scalars: readonly bigint[],
  ): readonly [Uint8Array, Uint8Array];
  /** Returns a new basis without points. */
  basis(): Basis;
}

/** Greatest length of a message of {@link Curve.forkHash} [bytes]. */
export const MOST_MESSAGE = 256;

/** Checks the lengths of a hash, its message and its key. @throws RangeError unless they are those of {@link Curve.forkHash}. */
export function mustFit(length: number, message: Uint8Array, key: Uint8Array): void {
  if (length < 1 || length > 64 || message.length > MOST_MESSAGE || key.length > 64)
    throw new RangeError('a hash, a message or a key of another length');
}

/** Largest number of terms of {@link Curve.twinSums}. */
export const MOST_TWINS = 4;

/** Points that are multiplied repeatedly, with precomputed tables of their multiples. */
export interface Basis {
  readonly size: number;
  /** Removes all points. */
  clear(): void;
  /** Appends points. @throws RangeError for an invalid point. */
  add(points: readonly Uint8Array[]): void;
  /**
   * Computes the sum of products as {@link Curve.multiexp}, of the first points of the basis, one per scalar, and of
   * other points.
   * @throws RangeError if there are more scalars than points.
   */
  multiexp(
    scalars: readonly bigint[],
    others?: readonly Uint8Array[],
    otherScalars?: readonly bigint[],
  ): Uint8Array;
  /**
   * Adds up the products of {@link multiexp} from index `first` on in `count` sums: sum i has the products with the
   * indices `first + i`, `first + i + count`, …
   */
  foldedSums(first: number, count: number, scalars: readonly bigint[]): Uint8Array[];
}

/** Encoding of the base point G of the prime-order subgroup. */
export const BASE = fromHex('58' + '66'.repeat(31)) as PublicKey;
/** Encoding of the amount generator `H = 8·point(keccak(G))`. Source: rctTypes.h `H`. */
export const AMOUNT_BASE = fromHex(
  '8b655970153799af2aeadc9ff1add0ea6c7251d54154cfa92c173a0dd39c1f94',
) as PublicKey;
/** Encoding of the second generator T of output keys of the fork. */
export const EXTENSION_BASE = fromHex(GENERATOR_T) as PublicKey;
/** Encoding of the identity element. */
export const IDENTITY = fromHex('01' + '00'.repeat(31)) as PublicKey;
