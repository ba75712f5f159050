import type { Hash } from '../../crypto/types.js';
import {
  parsePrunedTransaction,
  parseTransaction,
  transactionHash,
  transactionHashWith,
} from '../../cryptonote/transaction.js';
import type { Transaction } from '../../cryptonote/types.js';
import { equalBytes } from '../../../util/bytes.js';
import { CodecError } from '../../../util/codec.js';
import { ProtocolError, type Reasoned } from '../protocol-error.js';

/**
 * Facts of a {@link ScanError}. `wrong_transaction`: the hash or the rings of the data show that it does not come from
 * the chain.
 * @example
 * const fault: ScanFault = { kind: 'wrong_transaction', reason: 'another transaction' };
 * new ScanError(fault).message; // => 'another transaction'
 */
export type ScanFault = { readonly kind: 'wrong_transaction' } & Pick<Reasoned, 'reason'>;

/**
 * Error of a transaction that differs from the requested transaction, or that no chain can contain.
 * @example
 * try {
 *   scanBlock(block, [], account, addresses);
 * } catch (error) {
 *   error instanceof ScanError; // => true
 *   error.message; // => 'other transactions than those of the block'
 * }
 */
export class ScanError extends ProtocolError<ScanFault> {
  override readonly name = 'ScanError';
}

/** Returns the error of wrong data. @param reason noun with the fault. */
export const wrongTransaction = (reason: string, cause?: unknown): ScanError =>
  new ScanError({ kind: 'wrong_transaction', reason }, { cause });

/**
 * A transaction as a daemon sent it, not verified yet. A plain value.
 * @example
 * const sent: FetchedTx = { hash: block.txHashes[1], blob: txs[1].blob };
 * sent; // => txs[1]
 */
export interface FetchedTx {
  readonly hash: Hash;
  /** Encoding of the full or of the pruned transaction. */
  readonly blob: Uint8Array;
  /** Hash of the prunable part; present if the blob is pruned. */
  readonly prunableHash?: Hash;
}

function parse({ blob, prunableHash }: FetchedTx): { readonly tx: Transaction; readonly hash: Hash } {
  if (prunableHash === undefined) {
    const tx = parseTransaction(blob);
    return { tx, hash: transactionHash(tx) };
  }
  const tx = parsePrunedTransaction(blob);
  // A miner transaction has no prunable part; `transactionHash` uses zeros in place of the hash of this part.
  return { tx, hash: tx.rct?.base.type === 0 ? transactionHash(tx) : transactionHashWith(tx, prunableHash) };
}

/**
 * Parses a transaction and verifies its hash.
 * @throws ScanError Source: wallet2.cpp `get_pruned_tx`.
 */
export function readFetchedTx(fetched: FetchedTx): Transaction {
  try {
    const { tx, hash } = parse(fetched);
    if (equalBytes(hash, fetched.hash)) return tx;
  } catch (cause) {
    if (!(cause instanceof CodecError || cause instanceof RangeError)) throw cause;
    throw wrongTransaction('a transaction that cannot be parsed', cause);
  }
  throw wrongTransaction('another transaction than requested');
}
