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
import { WalletError } from '../model/wallet-error.js';

/** A transaction as a daemon sent it, not verified yet. A plain value. */
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
  // A miner transaction has no prunable part; `transactionHash` uses zeros for the hash of that part.
  return { tx, hash: tx.rct?.base.type === 0 ? transactionHash(tx) : transactionHashWith(tx, prunableHash) };
}

/**
 * Parses a transaction and verifies its hash.
 * @throws WalletError `daemon_misbehaves` Source: wallet2.cpp `get_pruned_tx`.
 */
export function readFetchedTx(fetched: FetchedTx): Transaction {
  try {
    const { tx, hash } = parse(fetched);
    if (equalBytes(hash, fetched.hash)) return tx;
  } catch (cause) {
    if (!(cause instanceof CodecError || cause instanceof RangeError)) throw cause;
    throw new WalletError(
      { kind: 'daemon_misbehaves', reason: 'it sent a transaction that cannot be parsed' },
      { cause },
    );
  }
  throw new WalletError({ kind: 'daemon_misbehaves', reason: 'it sent another transaction than requested' });
}
