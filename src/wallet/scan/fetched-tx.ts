import type { Hash } from '../../crypto/types.js';
import {
  parsePrunedTransaction,
  parseTransaction,
  transactionHash,
  transactionHashWith,
} from '../../cryptonote/transaction.js';
import type { Transaction } from '../../cryptonote/types.js';
import { equalBytes } from '../../util/bytes.js';
import { CodecError } from '../../util/codec.js';
import { WalletError } from '../model/wallet-error.js';

/** A transaction as a daemon gave it. Plain data. */
export interface FetchedTx {
  readonly hash: Hash;
  readonly blob: Uint8Array;
  /** Present: the blob is pruned. */
  readonly prunableHash?: Hash;
}

function parse({ blob, prunableHash }: FetchedTx): { readonly tx: Transaction; readonly hash: Hash } {
  if (prunableHash === undefined) {
    const tx = parseTransaction(blob);
    return { tx, hash: transactionHash(tx) };
  }
  const tx = parsePrunedTransaction(blob);
  // A miner's transaction has nothing that could be pruned, and hashes so.
  return { tx, hash: tx.rct?.base.type === 0 ? transactionHash(tx) : transactionHashWith(tx, prunableHash) };
}

/**
 * Reads a transaction and makes sure that it is the one that its hash names.
 * @throws WalletError `daemon_misbehaves` Source: wallet2.cpp `get_pruned_tx`.
 */
export function readFetchedTx(fetched: FetchedTx): Transaction {
  try {
    const { tx, hash } = parse(fetched);
    if (equalBytes(hash, fetched.hash)) return tx;
  } catch (cause) {
    if (!(cause instanceof CodecError || cause instanceof RangeError)) throw cause;
    throw new WalletError(
      { kind: 'daemon_misbehaves', reason: 'a transaction that cannot be read' },
      { cause },
    );
  }
  throw new WalletError({ kind: 'daemon_misbehaves', reason: 'another transaction than the one asked for' });
}
