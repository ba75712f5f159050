import { ringIndices, isCoinbase, parseTransaction } from '../../monero/cryptonote/transaction.js';
import type { Transaction } from '../../monero/cryptonote/types.js';
import { CodecError } from '../../util/codec.js';
import { median } from './median.js';

/**
 * Number of ring members below which a transaction is not checked. Source: tx_sanity_check.cpp, as for the constants
 * below.
 */
const MIN_MEMBERS = 10;
/** Number of outputs of the chain below which a transaction is not checked. */
const MIN_OUTPUTS = 10_000;

/**
 * Returns true if the rings look like those that a wallet makes: members are distinct, and most of them are recent.
 * @param available number of outputs that are old enough to be spent. Source: tx_sanity_check.cpp `tx_sanity_check`.
 */
export function looksSane(blob: Uint8Array, available: number): boolean {
  const tx = parse(blob);
  if (tx === undefined || isCoinbase(tx)) return false;
  const members = tx.prefix.inputs.flatMap((input) => {
    if (input.type !== 'key' || input.amount !== 0n) return [];
    return ringIndices(input.keyOffsets).map(Number);
  });
  if (members.length <= MIN_MEMBERS || available < MIN_OUTPUTS) return true;
  const distinct = [...new Set(members)];
  return (
    distinct.length >= Math.floor((members.length * 8) / 10) &&
    median(distinct) >= Math.floor((available * 6) / 10)
  );
}

function parse(blob: Uint8Array): Transaction | undefined {
  try {
    return parseTransaction(blob);
  } catch (error) {
    if (error instanceof CodecError || error instanceof RangeError) return undefined;
    throw error;
  }
}
