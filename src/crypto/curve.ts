/**
 * Arithmetic over many points at once; points are 32 bytes, compressed. Implementations agree on every input, and
 * satisfy the same tests. Variable time, for what is public or blinded, unless it says otherwise.
 */
export interface Curve {
  readonly name: string;
  /**
   * Commitments `mask·G + amount·H`, 32 bytes each, in constant time. @param masks scalars below ℓ, 32 bytes each.
   * @throws RangeError for a scalar of ℓ or more.
   */
  commit(amounts: readonly bigint[], masks: Uint8Array): Uint8Array;
  /**
   * `x·Hp(P)`, 32 bytes each, in constant time for x. @param secrets scalars x below ℓ, 32 bytes each.
   * @throws RangeError for a scalar of ℓ or more.
   */
  keyImages(outputKeys: Uint8Array, secrets: Uint8Array): Uint8Array;
  /**
   * `s·P` for each P, in constant time. @param secrets scalars below ℓ, one a point.
   * @throws RangeError for what is no point, or a scalar of ℓ or more.
   */
  multiplySecret(points: readonly Uint8Array[], secrets: readonly Uint8Array[]): Uint8Array[];
  /** `P + s·G`, otherwise as {@link multiplySecret}. */
  addSecretMultiples(points: readonly Uint8Array[], secrets: readonly Uint8Array[]): Uint8Array[];
  /** `Hp(data)` of 32 bytes each. */
  hashToPoints(data: readonly Uint8Array[]): Uint8Array[];
  arePoints(all: readonly Uint8Array[]): boolean;
  /** `n·P` for each, by the integer 0 ≤ n < 2^256 and not its residue. @throws RangeError for what is no point. */
  multiplyEach(points: readonly Uint8Array[], n: bigint): Uint8Array[];
  /** `P - Q` for each P. @throws RangeError for what is no point. */
  subtractFromEach(points: readonly Uint8Array[], subtrahend: Uint8Array): Uint8Array[];
  /**
   * `Σ sᵢ·Pᵢ`.
   * @param scalars any residues modulo ℓ; each point is multiplied by the one in [0, ℓ), which matters where it
   * has torsion.
   * @throws RangeError for what is no point, or unless there is one scalar a point.
   */
  multiexp(points: readonly Uint8Array[], scalars: readonly bigint[]): Uint8Array;
  /** Two sums with the same scalars, {@link MOST_TWINS} at most. @throws RangeError as {@link multiexp}. */
  twinSums(
    left: readonly Uint8Array[],
    right: readonly Uint8Array[],
    scalars: readonly bigint[],
  ): readonly [Uint8Array, Uint8Array];
  /** An empty basis. */
  basis(): Basis;
}

/** Terms of {@link Curve.twinSums}. */
export const MOST_TWINS = 4;

/** Points that are multiplied again and again, with what is kept of them. */
export interface Basis {
  readonly size: number;
  /** Forgets all points. */
  clear(): void;
  /** Puts points behind those that are there. @throws RangeError for what is no point. */
  add(points: readonly Uint8Array[]): void;
  /**
   * {@link Curve.multiexp} of the first points, one a scalar, and of others.
   * @throws RangeError for more scalars than points.
   */
  multiexp(
    scalars: readonly bigint[],
    others?: readonly Uint8Array[],
    otherScalars?: readonly bigint[],
  ): Uint8Array;
  /**
   * Of products as in {@link multiexp} those from place `first` on, folded: sum number i, of `count`, has the
   * products in places `first + i`, `first + i + count`, …
   */
  foldedSums(first: number, count: number, scalars: readonly bigint[]): Uint8Array[];
}

/** Whether bytes are the identity. */
export const isIdentity = (point: Uint8Array): boolean =>
  point.every((byte, i) => byte === (i === 0 ? 1 : 0));
