import { chunks, concatBytes, joinBytes } from '../../util/bytes.js';
import { zip } from '../../util/zip.js';
import type { Rng } from '../../util/random.js';
import type { Curve } from './curve/curve.js';
import { publicKeysOf } from './derivation.js';
import { randomScalar, reduce, scalarBytes, toScalar } from './scalar.js';
import type { PublicKey, SecretKey, Signature } from './types.js';

/**
 * Random scalars k for a batch of Schnorr proofs, one per proof. Their products with points are computed in constant
 * time.
 */
export class Nonces {
  readonly #curve: Curve;
  /** All scalars in one buffer, 32 bytes each. */
  readonly #flat: Uint8Array;
  /** The scalars one by one, as views of {@link #flat}. */
  readonly #scalars: readonly SecretKey[];

  /** @param count number of proofs. */
  constructor(count: number, rng: Rng, curve: Curve) {
    this.#curve = curve;
    this.#flat = joinBytes(Array.from({ length: count }, () => scalarBytes(randomScalar(rng))));
    this.#scalars = chunks(this.#flat, 32) as SecretKey[];
  }

  /** Computes `k·G` for each scalar. */
  ofBase(): Uint8Array[] {
    return publicKeysOf(this.#scalars, this.#curve);
  }

  /** Computes `k·P` for each scalar and its point. @throws RangeError for an invalid point. */
  ofPoints(points: readonly Uint8Array[]): Uint8Array[] {
    return this.#curve.multiplySecret(points, this.#scalars);
  }

  /** Computes `k·Hp(P)` for each scalar and its key. */
  ofHashes(keys: readonly PublicKey[]): Uint8Array[] {
    return chunks(this.#curve.keyImages(joinBytes(keys), this.#flat), 32);
  }

  /**
   * Completes the proofs: computes each response `k - c·x`, then wipes the scalars.
   * @param proofs challenge c and secret key x of each proof.
   * @returns c and response of each proof.
   */
  respond(proofs: readonly { readonly challenge: bigint; readonly secret: SecretKey }[]): Signature[] {
    return zip(this.#scalars, proofs).map(([nonce, { challenge, secret }]) => {
      const response = reduce(toScalar(nonce) - challenge * toScalar(secret));
      nonce.fill(0);
      return concatBytes(scalarBytes(challenge), scalarBytes(response)) as Signature;
    });
  }
}
