import type { Hash } from '../../crypto/types.js';
import type { SubaddressIndex, Transaction } from '../../cryptonote/types.js';
import { amount, sum, ZERO, type Amount } from '../../util/amount.js';
import type { FoundOutgoing, SpendingTx } from '../model/records.js';

/** An output of ours whose key image is not known, as rings name it. */
export interface BlindOutput {
  /** Of the ring's pool: 0 for RingCT outputs. */
  readonly amount: Amount;
  readonly globalIndex: number;
  readonly height: number;
}

interface SpendableOutput {
  readonly amount: Amount;
  readonly subaddress: SubaddressIndex;
}

export const spendingTx = (txHash: Hash, tx: Transaction, timestamp: number): SpendingTx => ({
  txHash,
  timestamp,
  unlockTime: tx.prefix.unlockTime,
  ...(tx.prefix.version === 2 ? { fee: tx.rct?.base.fee ?? ZERO } : {}),
  amountOut: tx.prefix.version === 2 ? ZERO : sum(tx.prefix.outputs.map((output) => output.amount)),
});

/** What a spending transaction is to its payer: all that came back to the paying account is change. */
export function outgoingOf(
  tx: SpendingTx,
  account: number,
  spent: readonly SpendableOutput[],
  received: readonly SpendableOutput[],
): Omit<FoundOutgoing, 'height'> {
  const amountIn = sum(spent.map((coin) => coin.amount));
  const change = sum(
    received.filter(({ subaddress }) => subaddress.major === account).map((coin) => coin.amount),
  );
  return {
    txHash: tx.txHash,
    timestamp: tx.timestamp,
    account,
    fromIndices: [...new Set(spent.map(({ subaddress }) => subaddress.minor))].sort((a, b) => a - b),
    amountIn,
    change,
    fee: tx.fee ?? amount(amountIn > tx.amountOut ? amountIn - tx.amountOut : 0n),
    unlockTime: tx.unlockTime,
  };
}

const placeOf = (value: Amount, globalIndex: bigint | number): string => `${value}/${globalIndex}`;

/** Outputs that cannot be recognised when they are spent, and the transactions that may spend them. */
export class BlindOutputs {
  readonly #heights = new Map<string, number>();

  constructor(outputs: readonly BlindOutput[]) {
    for (const output of outputs) this.add(output);
  }

  add({ amount: value, globalIndex, height }: BlindOutput): void {
    this.#heights.set(placeOf(value, globalIndex), height);
  }

  detachFrom(height: number): void {
    for (const [place, found] of this.#heights) if (found >= height) this.#heights.delete(place);
  }

  /** Does a ring of the transaction hold one of them? */
  mayBeSpentBy(tx: Transaction): boolean {
    return (
      this.#heights.size > 0 &&
      tx.prefix.inputs.some((input) => {
        if (input.type !== 'key') return false;
        let index = 0n;
        return input.keyOffsets.some((offset) => {
          index += offset;
          return this.#heights.has(placeOf(input.amount, index));
        });
      })
    );
  }
}
