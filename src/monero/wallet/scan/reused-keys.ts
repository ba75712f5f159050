import type { Hash } from '../../crypto/types.js';
import { amount, ZERO, type Amount } from '../../../util/amount.js';
import { equalBytes } from '../../../util/bytes.js';

/**
 * An output with a given output key, with the fields that decide the credited amounts of all outputs with the same key.
 */
export interface KeyOutput {
  readonly txHash: Hash;
  readonly amount: Amount;
  readonly height: number;
  /** Index among all outputs of the same amount in the chain. */
  readonly globalIndex: number;
  /**
   * True if the spend of the key was known before any later output with the key was mined, so that it spends this
   * output.
   */
  readonly taken: boolean;
}

/** A mined transaction that spends an output key. Consensus allows one such transaction per key. */
export interface KeySpend {
  readonly txHash: Hash;
  readonly height: number;
  /** Global index of one of the transaction's outputs; absent before RingCT. */
  readonly globalIndex?: number;
}

/** Output that a key image spends, if several outputs have the same key ("effective output"). */
export interface EffectiveOutput {
  readonly amount: Amount;
  /** True if the output is spent in a block, in the pool, or by a payment that reserves it. */
  readonly spent: boolean;
}

/** Amounts that the outputs with one key add to the payments of their transactions. */
export interface KeyCredits {
  /** Credited amounts, one per output, in their order [atomic units]. */
  readonly credited: readonly Amount[];
  /** Index of the effective output; the other outputs can never be spent. */
  readonly effectiveIndex: number;
}

/**
 * Returns the amount that a further output with a key adds to the balance [atomic units]. An output with a new key adds
 * its whole amount. An output that is larger than the unspent effective output replaces this output and adds the
 * difference. Any other output adds zero, because one key image spends only one output. Source: wallet2.cpp
 * `process_new_transaction`.
 */
export function creditOf(value: Amount, effective: EffectiveOutput | undefined): Amount {
  if (effective === undefined) return value;
  return effective.spent || effective.amount >= value ? ZERO : amount(value - effective.amount);
}

/**
 * Returns true if an output is mined before the spend of its key. The outputs of a transaction precede its own inputs.
 */
function precedes(output: KeyOutput, spend: KeySpend): boolean {
  if (output.height !== spend.height) return output.height < spend.height;
  if (spend.globalIndex === undefined || equalBytes(output.txHash, spend.txHash)) return true;
  return output.globalIndex < spend.globalIndex;
}

/**
 * Computes the credited amounts of all outputs with one key. The amounts depend only on the outputs' order in the
 * chain, not on the order in which the outputs were found.
 * @param outputs at least one, in chain order.
 * @param spend mined spend of the key; absent if the key is not spent, or if the position of the spend in the chain is
 * unknown.
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
