import { keccak } from '../../crypto/keccak.js';
import type { RingMember } from '../../ringct/types.js';
import { concatBytes, toHex } from '../../util/bytes.js';
import type { Payment } from '../rules/tx-rules.js';

/** Something to verify that takes its time. */
export interface Claim {
  /** Names what is claimed: equal claims have one verdict. */
  readonly key: string;
  readonly payment: Payment;
  /** The signatures under these rings; absent: amounts and range proof. */
  readonly rings?: readonly (readonly RingMember[])[];
}

/** Remembered at most. A verdict that was forgotten is found again. */
const KEPT = 50_000;

/**
 * What is known of proofs and signatures. Rules ask here and go on: a claim nobody verified yet passes for true
 * and is noted, and whoever runs the rules must undo their work, have the noted claims verified, and run them
 * again.
 */
export class Verdicts {
  readonly #known = new Map<string, boolean>();
  readonly #open = new Map<string, Claim>();

  areAmountsProved(payment: Payment): boolean {
    return this.#holds({ key: toHex(payment.hash), payment });
  }

  isSigned(payment: Payment, rings: readonly (readonly RingMember[])[]): boolean {
    const members = rings.flat().flatMap(({ publicKey, commitment }) => [publicKey, commitment]);
    return this.#holds({ key: toHex(keccak(concatBytes(payment.hash, ...members))), payment, rings });
  }

  #holds(claim: Claim): boolean {
    const verdict = this.#known.get(claim.key);
    if (verdict === undefined) this.#open.set(claim.key, claim);
    return verdict ?? true;
  }

  /** Claims that passed for true; they are no longer noted. */
  takeOpen(): Claim[] {
    const open = [...this.#open.values()];
    this.#open.clear();
    return open;
  }

  record({ key }: Pick<Claim, 'key'>, holds: boolean): void {
    this.#known.set(key, holds);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KEPT) break;
      this.#known.delete(oldest);
    }
  }
}
