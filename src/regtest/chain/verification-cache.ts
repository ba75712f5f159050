import { keccak } from '../../monero/crypto/keccak.js';
import type { RingMember } from '../../monero/ringct/types.js';
import { concatBytes, toHex } from '../../util/bytes.js';
import type { Payment } from '../rules/tx-rules.js';

/** Proofs or signatures of a payment that must be verified. */
export interface ProofClaim {
  /** Cache key; equal claims share a result. */
  readonly key: string;
  readonly payment: Payment;
  /** Rings whose signatures are verified; absent: amounts and the range proof are verified. */
  readonly rings?: readonly (readonly RingMember[])[];
}

/** Maximum number of cached results; evicted claims are verified again. */
const MAX_RESULTS = 50_000;

/**
 * Cache of verification results for proofs and signatures. An unverified claim is assumed to be true and recorded; the
 * caller must then roll back its change, verify the recorded claims on other threads, and repeat the change.
 */
export class VerificationCache {
  readonly #results = new Map<string, boolean>();
  readonly #unverified = new Map<string, ProofClaim>();

  areAmountsProved(payment: Payment): boolean {
    return this.#holds({ key: toHex(payment.hash), payment });
  }

  isSigned(payment: Payment, rings: readonly (readonly RingMember[])[]): boolean {
    const members = rings.flat().flatMap(({ publicKey, commitment }) => [publicKey, commitment]);
    return this.#holds({ key: toHex(keccak(concatBytes(payment.hash, ...members))), payment, rings });
  }

  #holds(claim: ProofClaim): boolean {
    const result = this.#results.get(claim.key);
    if (result === undefined) this.#unverified.set(claim.key, claim);
    return result ?? true;
  }

  /** Returns and clears the claims that were assumed to be true. */
  takeUnverified(): ProofClaim[] {
    const unverified = [...this.#unverified.values()];
    this.#unverified.clear();
    return unverified;
  }

  record({ key }: Pick<ProofClaim, 'key'>, holds: boolean): void {
    this.#results.set(key, holds);
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= MAX_RESULTS) break;
      this.#results.delete(oldest);
    }
  }
}
