import type { Transaction } from '../../cryptonote/types.js';
import { RCT_FCMP } from '../../fork-rules.js';
import { readFetchedTx, type FetchedTx } from '../scan/fetched-tx.js';
import { isCarrotTx } from '../scan/scanned-keys.js';
import { ProofError } from './proof-text.js';

/** Returns the error of a proof about outputs in the form of the fork, or about a transaction without rings. */
const notSettled = (): ProofError =>
  new ProofError({
    kind: 'fork_proof',
    reason: 'proofs about outputs and transactions in the form of the fork are not settled',
  });

/**
 * Reads a transaction about which something is to be proven. Neither the specification nor the reference has proofs about
 * the form of the fork, and those of the old form prove nothing about it.
 * @throws ProofError `fork_proof` for a transaction in the form of the fork. @throws ScanError
 */
export function provableTx(fetched: FetchedTx): Transaction {
  const tx = readFetchedTx(fetched);
  if (isCarrotTx(tx.prefix) || tx.rct?.base.type === RCT_FCMP) throw notSettled();
  return tx;
}

/** Checks that outputs have the old form. @throws ProofError `fork_proof` as {@link provableTx} */
export function assertProvable(outputs: readonly { readonly carrot?: object }[]): void {
  if (outputs.some(({ carrot }) => carrot !== undefined)) throw notSettled();
}
