import { chunks, concatBytes, joinBytes } from '../../util/bytes.js';
import { zip } from '../../util/zip.js';
import type { Rng } from '../../util/random.js';
import type { Curve } from './curve/curve.js';
import { publicKeysOf } from './derivation.js';
import { randomScalar, reduce, scalarBytes, toScalar } from './scalar.js';
import type { PublicKey, SecretKey, Signature } from './types.js';

/** Random scalars k of a batch of Schnorr proofs, one per proof. Products are computed in constant time. */
export class Nonces {
  readonly #curve: Curve;
  /** The scalars, 32 bytes each. */
  readonly #flat: Uint8Array;
  /** The scalars; they share memory with {@link #flat}. */
  readonly #scalars: readonly SecretKey[];

  /** @param count number of proofs. */
  constructor(count: number, rng: Rng, curve: Curve) {
    this.#curve = curve;
    this.#flat = joinBytes(Array.from({ length: count }, () => scalarBytes(randomScalar(rng))));
    this.#scalars = chunks(this.#flat, 32) as SecretKey[];
  }

  /** `k·G` for each. */
  ofBase(): Uint8Array[] {
    return publicKeysOf(this.#scalars, this.#curve);
  }

  /** `k·P` for each. @throws RangeError for an invalid point. */
  ofPoints(points: readonly Uint8Array[]): Uint8Array[] {
    return this.#curve.multiplySecret(points, this.#scalars);
  }

  /** `k·Hp(P)` for each. */
  ofHashes(keys: readonly PublicKey[]): Uint8Array[] {
    return chunks(this.#curve.keyImages(joinBytes(keys), this.#flat), 32);
  }

  /**
   * Completes the proofs with their responses `k - c·x`, and wipes the scalars.
   * @param proofs challenge c and secret x of each. @returns c and response.
   */
  respond(proofs: readonly { readonly challenge: bigint; readonly secret: SecretKey }[]): Signature[] {
    return zip(this.#scalars, proofs).map(([nonce, { challenge, secret }]) => {
      const response = reduce(toScalar(nonce) - challenge * toScalar(secret));
      nonce.fill(0);
      return concatBytes(scalarBytes(challenge), scalarBytes(response)) as Signature;
    });
  }
}
