import type { Hash } from '../../crypto/types.js';
import { amount, ZERO, type Amount } from '../../util/amount.js';
import { equalBytes } from '../../util/bytes.js';

/** An output on a one-time key, as far as other outputs on the same key depend on it. */
export interface KeyOutput {
  readonly txHash: Hash;
  readonly amount: Amount;
  readonly height: number;
  /** Among all outputs of its amount in the chain. */
  readonly globalIndex: number;
  /** The spend of the key was known before any later output was mined, so it spends this one. */
  readonly taken: boolean;
}

/** A mined transaction that spends a one-time key. Consensus allows one a key. */
export interface KeySpend {
  readonly txHash: Hash;
  readonly height: number;
  /** Global index of one of its outputs; absent before RingCT. */
  readonly globalIndex?: number;
}

/** An output that a wallet holds for a key. */
export interface HeldKey {
  readonly amount: Amount;
  /** Mined, in the pool, or reserved by a payment. */
  readonly spent: boolean;
}

/** Shares of the outputs on one key in the payments of their transactions. */
export interface KeyCredits {
  /** One an output, in their order. */
  readonly credited: readonly Amount[];
  /** Index of the output that stands for the key: of all of them only this one is spendable, or spent. */
  readonly held: number;
}

/**
 * Amount that one more output on a key adds to a wallet: all of it on a new key; the difference to a smaller unspent
 * output, in whose place it comes; else nothing, since one key image spends one output only.
 * Source: wallet2.cpp `process_new_transaction`.
 */
export function creditOf(value: Amount, held: HeldKey | undefined): Amount {
  if (held === undefined) return value;
  return held.spent || held.amount >= value ? ZERO : amount(value - held.amount);
}

/** Is an output mined before the spend of its key? A transaction's own outputs count as before its inputs. */
function precedes(output: KeyOutput, spend: KeySpend): boolean {
  if (output.height !== spend.height) return output.height < spend.height;
  if (spend.globalIndex === undefined || equalBytes(output.txHash, spend.txHash)) return true;
  return output.globalIndex < spend.globalIndex;
}

/**
 * Shares of all outputs on one key. Depends on their order in the chain alone, not on the order of their discovery.
 * @param outputs at least one, in the order of the chain.
 * @param spend absent: none is mined, or its place in the chain is not known.
 */
export function creditsOf(outputs: readonly KeyOutput[], spend?: KeySpend): KeyCredits {
  const credited: Amount[] = [];
  let held: { readonly output: KeyOutput; readonly index: number } | undefined;
  outputs.forEach((output, index) => {
    const before = held && {
      amount: held.output.amount,
      spent: held.output.taken || (spend !== undefined && !precedes(output, spend)),
    };
    const credit = creditOf(output.amount, before);
    credited.push(credit);
    if (credit > 0n || held === undefined) held = { output, index };
  });
  if (held === undefined) throw new RangeError('a key without outputs');
  return { credited, held: held.index };
}
