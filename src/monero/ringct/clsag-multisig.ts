import type { Curve } from '../crypto/curve/curve.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import { hashToScalar, intToBytes, reduce, toScalar } from '../crypto/scalar.js';
import type { Commitment, Hash, KeyImage } from '../crypto/types.js';
import { paddedName } from '../../util/bytes.js';
import { ringTerms, challenger, ringPoints } from './clsag.js';
import type { ProofPoint, ProofScalar, RingMember } from './types.js';

/*
 * CLSAG with a shared key of the real member: every signer responds to the same challenge with a share, and the
 * response is the sum of the shares. Each signer contributes NONCES nonces, combined by a binding factor that commits
 * to the whole signature (as in MuSig2), so that no signer can choose nonces depending on the nonces of another signer.
 * Letters as in clsag.ts; α are nonces. Source: multisig_clsag_context.cpp.
 */

/** Number of nonces of one signer for one signature. Source: multisig_clsag_context.h `kAlphaComponents`. */
export const NONCES = 2;

const BINDING = paddedName('CLSAG_round_ms_merge_factor');

/** A signature without the response of the real ring member. */
export interface OpenClsag {
  readonly message: Hash;
  readonly ring: readonly RingMember[];
  readonly realIndex: number;
  readonly keyImage: KeyImage;
  /** Key image of the commitment, divided by 8. */
  readonly D: ProofPoint;
  readonly pseudoOut: Commitment;
  /** Responses, one per ring member; the response of the real member is ignored. */
  readonly s: readonly ProofScalar[];
}

/** Sums of the public nonces of all signers: `Σα·G` and `Σα·Hp(P_l)`, one pair for each nonce of a signer. */
export interface NonceSums {
  readonly G: readonly Uint8Array[];
  readonly H: readonly Uint8Array[];
}

/** Challenge to which every signer responds. */
export interface Challenge {
  /** Powers of the binding factor, one for each nonce of a signer. */
  readonly binding: readonly bigint[];
  readonly c: bigint;
  /** First challenge of the signature, which is stored in it. */
  readonly c1: bigint;
}

/** Computes the challenges of one input, for any number of signing attempts. */
export class ClsagChallenger {
  readonly muP: bigint;
  readonly muC: bigint;
  readonly open: OpenClsag;
  readonly #s: readonly bigint[];
  readonly #points: ReturnType<typeof ringPoints>;
  readonly #round: ReturnType<typeof challenger>['round'];
  readonly #curve: Curve;

  /** @throws RangeError for inconsistent data, or for an invalid point or scalar. */
  constructor(open: OpenClsag, curve: Curve = loadCurve()) {
    const { message, ring, realIndex, keyImage, D, pseudoOut, s } = open;
    if (realIndex >= ring.length || s.length !== ring.length)
      throw new RangeError('a signature has one response per ring member');
    const { muP, muC, round } = challenger(message, ring, keyImage, D, pseudoOut);
    this.muP = muP;
    this.muC = muC;
    this.open = open;
    this.#round = round;
    this.#s = s.map((scalar, i) => (i === realIndex ? 0n : toScalar(scalar)));
    const divided = D as unknown as Uint8Array;
    const [full = divided] = curve.multiplyEach([divided], 8n);
    const keys = ring.map(({ publicKey }) => publicKey);
    if (!curve.arePoints([keyImage, ...keys])) throw new RangeError('not a point');
    this.#points = ringPoints(ring, pseudoOut, keyImage, full, curve);
    this.#curve = curve;
  }

  /**
   * Computes the challenge of the real member.
   * @throws RangeError unless there are {@link NONCES} sums, all of them points. Source:
   * `combine_alpha_and_compute_challenge`.
   */
  challenge(sums: NonceSums): Challenge {
    if (sums.G.length !== NONCES || sums.H.length !== NONCES)
      throw new RangeError(`a signer contributes ${NONCES} nonces`);
    const b = this.#bindingFactor(sums);
    const binding = sums.G.map((_, i) => power(b, i));
    const bound = (points: readonly Uint8Array[]): Uint8Array => this.#curve.multiexp(points, binding);
    const { realIndex, ring } = this.open;
    let c = this.#round(bound(sums.G), bound(sums.H));
    let c1 = c;
    for (let step = 1; step < ring.length; step++) {
      const i = (realIndex + step) % ring.length;
      if (i === 0) c1 = c;
      const scalars = [this.#s[i] ?? 0n, reduce(this.muP * c), reduce(this.muC * c)] as const;
      c = this.#round(...ringTerms(this.#points, i, scalars, this.#curve));
    }
    return { binding, c, c1: realIndex === 0 ? c : c1 };
  }

  #bindingFactor({ G: sumsG, H: sumsH }: NonceSums): bigint {
    const { message, ring, realIndex, keyImage, pseudoOut, s } = this.open;
    const number = (value: number): Uint8Array => intToBytes(BigInt(value));
    return hashToScalar(
      BINDING,
      ...ring.map(({ publicKey }) => publicKey),
      ...ring.map(({ commitment }) => commitment),
      pseudoOut,
      message,
      ...sumsG,
      ...sumsH,
      keyImage,
      this.#points.full,
      ...s.filter((_, i) => i !== realIndex),
      number(realIndex),
      number(NONCES),
      number(ring.length),
    );
  }
}

const power = (base: bigint, exponent: number): bigint => {
  let result = 1n;
  for (let i = 0; i < exponent; i++) result = reduce(result * base);
  return result;
};

/**
 * Computes the response of one signer, `Σ bⁱ·αᵢ - c·w`.
 * @param nonces secret nonces α, one per sum, which must never be used for a second challenge.
 * @param w secret `µ_P·p`, where p is the signer's part of the key; the first signer adds `µ_C·z`. Source:
 * multisig_tx_builder_ringct.cpp `first_partial_sign`, `next_partial_sign`.
 */
export function clsagShare({ binding, c }: Challenge, nonces: readonly bigint[], w: bigint): bigint {
  if (nonces.length !== binding.length) throw new RangeError(`a signer contributes ${NONCES} nonces`);
  return reduce(nonces.reduce((sum, nonce, i) => sum + nonce * (binding[i] ?? 0n), 0n) - c * w);
}
