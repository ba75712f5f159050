import { chunks, concatBytes } from '../../../util/bytes.js';
import { MOST_TWINS, mustFit, type Basis, type Curve } from './curve.js';
import { forkHash } from '../fork-hash.js';
import { hashToPoint, hashToPointUnbiased } from './hash-to-point.js';
import { storedMultiples, multiexp, type Multiples } from './multiexp.js';
import { decompress, G, H, multiply, Point, T, tryDecompress } from './point.js';
import { toScalar } from '../scalar.js';
import { plainX25519 } from './x25519.js';

class PlainBasis implements Basis {
  readonly #points: Multiples[] = [];

  get size(): number {
    return this.#points.length;
  }

  clear(): void {
    this.#points.length = 0;
  }

  add(points: readonly Uint8Array[]): void {
    this.#points.push(...points.map(decompress).map(storedMultiples));
  }

  multiexp(
    scalars: readonly bigint[],
    others: readonly Uint8Array[] = [],
    otherScalars: readonly bigint[] = [],
  ): Uint8Array {
    if (others.length !== otherScalars.length)
      throw new RangeError('multiexp: expected one scalar per point');
    const terms = this.#terms(scalars);
    return multiexp(
      [...terms.map(({ point }) => point), ...others.map(decompress)],
      [...terms.map(({ scalar }) => scalar), ...otherScalars],
    ).toBytes();
  }

  foldedSums(first: number, count: number, scalars: readonly bigint[]): Uint8Array[] {
    const terms = this.#terms(scalars);
    return Array.from({ length: count }, (_, i) => {
      const own = terms.filter(({ index }) => index >= first && (index - first) % count === i);
      return multiexp(
        own.map(({ point }) => point),
        own.map(({ scalar }) => scalar),
      ).toBytes();
    });
  }

  /** Returns the nonzero scalars with their points. */
  #terms(scalars: readonly bigint[]) {
    return scalars
      .map((scalar, index) => {
        const point = this.#points[index];
        if (point === undefined) throw new RangeError('multiexp: expected one scalar per point');
        return { index, point, scalar };
      })
      .filter(({ scalar }) => scalar !== 0n);
  }
}

function secretAt(secrets: readonly Uint8Array[], i: number): bigint {
  const secret = secrets[i];
  if (secret === undefined) throw new RangeError('expected one scalar per point');
  return toScalar(secret);
}

/** Implementation on noble: simple and slow. It is the reference of the tests and the fallback. */
export const plainCurve: Curve = {
  name: 'plain',
  commit: (amounts, masks) =>
    concatBytes(
      ...amounts.map((value, i) =>
        multiply(G, toScalar(masks.subarray(32 * i, 32 * i + 32)))
          .add(multiply(H, value))
          .toBytes(),
      ),
    ),
  keyImages: (outputKeys, secrets) =>
    concatBytes(
      ...chunks(outputKeys, 32).map((key, i) =>
        multiply(hashToPoint(key), toScalar(secrets.subarray(32 * i, 32 * i + 32))).toBytes(),
      ),
    ),
  multiplySecret: (points, secrets) =>
    points.map((bytes, i) => multiply(decompress(bytes), secretAt(secrets, i)).toBytes()),
  addSecretMultiples: (points, secrets) =>
    points.map((bytes, i) =>
      decompress(bytes)
        .add(multiply(G, secretAt(secrets, i)))
        .toBytes(),
    ),
  addMultiplesOfBoth: (points, ofG, ofT) =>
    points.map((bytes, i) =>
      decompress(bytes)
        .add(multiply(G, secretAt(ofG, i)))
        .add(multiply(T, secretAt(ofT, i)))
        .toBytes(),
    ),
  x25519: plainX25519,
  forkHash(length, message, key = new Uint8Array()) {
    mustFit(length, message, key);
    return forkHash(length, message, key.length === 0 ? undefined : key);
  },
  hashToPointUnbiased: (outputKey) => hashToPointUnbiased(outputKey).toBytes(),
  unbiasedKeyImages: (outputKeys, secrets) =>
    concatBytes(
      ...chunks(outputKeys, 32).map((key, i) =>
        multiply(hashToPointUnbiased(key), toScalar(secrets.subarray(32 * i, 32 * i + 32))).toBytes(),
      ),
    ),
  hashToPoints: (data) => data.map((bytes) => hashToPoint(bytes).toBytes()),
  arePoints: (all) => all.every((bytes) => tryDecompress(bytes) !== undefined),
  eachInMainSubgroup: (all) => all.map((bytes) => tryDecompress(bytes)?.isTorsionFree() === true),
  multiplyEach: (points, n) =>
    points.map((bytes) => {
      const point = decompress(bytes);
      // noble accepts only factors below ℓ.
      let product = Point.ZERO;
      for (const bit of n.toString(2)) {
        product = product.double();
        if (bit === '1') product = product.add(point);
      }
      return product.toBytes();
    }),
  subtractFromEach(points, subtrahend) {
    const offset = decompress(subtrahend);
    return points.map((bytes) => decompress(bytes).subtract(offset).toBytes());
  },
  multiexp: (points, scalars) => multiexp(points.map(decompress), scalars).toBytes(),
  twinSums(left, right, scalars) {
    if (scalars.length > MOST_TWINS) throw new RangeError('too many terms');
    return [plainCurve.multiexp(left, scalars), plainCurve.multiexp(right, scalars)];
  },
  basis: () => new PlainBasis(),
};
