import type { Hash } from '../../crypto/types.js';
import { amount, ZERO, type Amount } from '../../../util/amount.js';
import { equalBytes } from '../../../util/bytes.js';

/** An output of a one-time key, with the fields that decide the credits of all outputs of that key. */
export interface KeyOutput {
  readonly txHash: Hash;
  readonly amount: Amount;
  readonly height: number;
  /** Index among all outputs of its amount in the chain. */
  readonly globalIndex: number;
  /** The key's spend was known before any later output was mined, so it spends this output. */
  readonly taken: boolean;
}

/** A mined transaction that spends a one-time key. Consensus allows one per key. */
export interface KeySpend {
  readonly txHash: Hash;
  readonly height: number;
  /** Global index of one of its outputs; absent before RingCT. */
  readonly globalIndex?: number;
}

/** The one output of a key that its key image spends: the effective output. */
export interface EffectiveOutput {
  readonly amount: Amount;
  /** Mined, in the pool, or reserved by a payment. */
  readonly spent: boolean;
}

/** Amounts that the outputs of one key add to the payments of their transactions. */
export interface KeyCredits {
  /** One per output, in their order. */
  readonly credited: readonly Amount[];
  /** Index of the effective output: the others can never be spent. */
  readonly effectiveIndex: number;
}

/**
 * Amount that one more output of a key adds to the balance: all of it for a new key; the difference to a smaller
 * unspent output, which it replaces; otherwise zero, since one key image spends one output only.
 * Source: wallet2.cpp `process_new_transaction`.
 */
export function creditOf(value: Amount, effective: EffectiveOutput | undefined): Amount {
  if (effective === undefined) return value;
  return effective.spent || effective.amount >= value ? ZERO : amount(value - effective.amount);
}

/** True when an output is mined before the spend of its key; a transaction's outputs precede its own inputs. */
function precedes(output: KeyOutput, spend: KeySpend): boolean {
  if (output.height !== spend.height) return output.height < spend.height;
  if (spend.globalIndex === undefined || equalBytes(output.txHash, spend.txHash)) return true;
  return output.globalIndex < spend.globalIndex;
}

/**
 * Credits of all outputs of one key. Depends on their order in the chain only, not on the order of discovery.
 * @param outputs at least one, in the order of the chain.
 * @param spend absent: none is mined, or its position in the chain is unknown.
 */
export function creditsOf(outputs: readonly KeyOutput[], spend?: KeySpend): KeyCredits {
  const credited: Amount[] = [];
  let effective: { readonly output: KeyOutput; readonly index: number } | undefined;
  outputs.forEach((output, index) => {
    const before = effective && {
      amount: effective.output.amount,
      spent: effective.output.taken || (spend !== undefined && !precedes(output, spend)),
    };
    const credit = creditOf(output.amount, before);
    credited.push(credit);
    if (credit > 0n || effective === undefined) effective = { output, index };
  });
  if (effective === undefined) throw new RangeError('a key without outputs');
  return { credited, effectiveIndex: effective.index };
}
