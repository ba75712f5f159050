import type { Hash } from '../../crypto/types.js';
import { ringIndices } from '../../cryptonote/transaction.js';
import type { SubaddressIndex, Transaction } from '../../cryptonote/types.js';
import { amount, sum, ZERO, type Amount } from '../../../util/amount.js';
import type { FoundOutgoing, SpendingTx } from './findings.js';

/** An output of the wallet whose key image is unknown, with the amount and global index by which rings name it. */
export interface OutputWithoutKeyImage {
  /** Amount by which rings name the output [atomic units]: 0 for RingCT outputs. */
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

/** Makes the payer's record of a spending transaction. Every output to the paying account counts as change. */
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

/** Unpacks outputs. @param packed records of {@link BLIND_BYTES}. */
export function* unpackBlindOutputs(packed: Uint8Array): Generator<OutputWithoutKeyImage, void, void> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let at = 0; at < packed.length; at += BLIND_BYTES)
    yield {
      amount: amount(view.getBigUint64(at)),
      globalIndex: Number(view.getBigUint64(at + 8)),
      height: view.getUint32(at + 16),
    };
}

/** Size of a packed output [bytes]: amount and global index have 8 bytes each, the height 4; big-endian. */
const BLIND_BYTES = 20;

/** Finds transactions that may spend outputs whose key images are unknown. */
export class OutputsWithoutKeyImage {
  readonly #heights = new Map<string, number>();

  constructor(outputs: Iterable<OutputWithoutKeyImage>) {
    for (const output of outputs) this.add(output);
  }

  add({ amount: value, globalIndex, height }: OutputWithoutKeyImage): void {
    this.#heights.set(ringPlaceOf(value, globalIndex), height);
  }

  /** Removes outputs that were received at the heights from `from` to `to`, both inclusive. */
  detach(from: number, to: number): void {
    for (const [ringPlace, received] of this.#heights)
      if (received >= from && received <= to) this.#heights.delete(ringPlace);
  }

  /** Returns true if a ring of the transaction contains one of the outputs. */
  mayBeSpentBy(tx: Transaction): boolean {
    return (
      this.#heights.size > 0 &&
      tx.prefix.inputs.some(
        (input) =>
          input.type === 'key' &&
          ringIndices(input.keyOffsets).some((index) => this.#heights.has(ringPlaceOf(input.amount, index))),
      )
    );
  }
}

/**
 * Returns a text that identifies an output in the same way as rings do.
 * @param value amount [atomic units]: 0 for RingCT outputs.
 */
export const ringPlaceOf = (value: bigint, globalIndex: bigint | number): string => `${value}/${globalIndex}`;

/**
 * Narrows down which output each input spends, given that no output is spent by two inputs.
 * @param candidates for each input, the outputs of the wallet in its ring.
 * @returns for each input in the same order, the outputs that remain possible; no outputs for inputs whose rings
 * contradict each other, because only one output remains for several inputs.
 */
export function narrowOwners<K>(candidates: readonly ReadonlySet<K>[]): ReadonlySet<K>[] {
  const open = candidates.map((owners) => new Set(owners));
  const inputsOf = new Map<K, Set<K>[]>();
  for (const owners of open)
    for (const owner of owners) {
      const inputs = inputsOf.get(owner);
      if (inputs === undefined) inputsOf.set(owner, [owners]);
      else inputs.push(owners);
    }
  const contested = new Set<K>();
  const decided = open.filter(({ size }) => size === 1);
  // The list grows during the loop, because each decision may cause others.
  for (const owners of decided) {
    const [owner] = owners;
    if (owner === undefined) continue;
    for (const others of inputsOf.get(owner) ?? []) {
      if (others === owners || !others.delete(owner)) continue;
      if (others.size === 1) decided.push(others);
      if (others.size === 0) contested.add(owner);
    }
  }
  return open.map((owners) => ([...owners].some((owner) => contested.has(owner)) ? new Set<K>() : owners));
}
