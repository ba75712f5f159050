import { keccak } from '../../monero/crypto/keccak.js';
import type { RingMember } from '../../monero/ringct/types.js';
import { concatBytes, toHex } from '../../util/bytes.js';
import type { Payment } from '../rules/tx-rules.js';

/** Proofs or signatures of a payment that are to be verified. */
export interface ProofClaim {
  /** Key in the cache; equal claims have equal keys and share a result. */
  readonly key: string;
  readonly payment: Payment;
  /** Rings whose signatures are to be verified; absent: the amounts and the range proof are to be verified. */
  readonly rings?: readonly (readonly RingMember[])[];
}

/** Largest number of cached results; a claim whose result was evicted is verified again. */
const MAX_RESULTS = 50_000;

/**
 * Results of verifying proofs and signatures. A claim without a result is assumed to be true and recorded. The caller
 * must then roll back its change, verify the recorded claims on other threads, and run the change again.
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

  /** Returns the claims that were assumed to be true, and forgets them. */
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
