import type { Hash } from '../../crypto/types.js';
import { transactionHash } from '../../cryptonote/transaction.js';
import { parseExtra } from '../../cryptonote/extra.js';
import type { Block, PaymentId, Transaction } from '../../cryptonote/types.js';
import { equalBytes } from '../../../util/bytes.js';
import { readFetchedTx, wrongTransaction, type FetchedTx } from './fetched-tx.js';
import { ownOutputsOf, receivedPaymentId } from './own-outputs-in.js';
import type { FoundOutput, ReceivingKeys } from './receive.js';
import type { SubaddressTable } from './subaddress-table.js';

/**
 * A transaction that pays a wallet.
 * @example
 * const paying: ReceivingTx = found[1];
 * equalBytes(paying.hash, txs[1].hash); // => true
 */
export interface ReceivingTx {
  readonly hash: Hash;
  /** Full or pruned, as it was fetched. */
  readonly tx: Transaction;
  /**
   * Short payment id, decrypted with the view key; zeros where the payer added a dummy. Meaningless in a payment that the
   * wallet made itself: that id is encrypted for the payee.
   */
  readonly paymentId?: PaymentId;
  /** At least one, by ascending index. */
  readonly outputs: readonly FoundOutput[];
}

/**
 * Finds the transactions of a block that pay a wallet, the miner transaction included.
 * @param txs the transactions that the block names, in its order, full or pruned; their hashes are verified.
 * @param table grows by the lookahead of each address that is paid.
 * @returns the paying transactions, in the order of the block.
 * @throws ScanError for transactions that are not those of the block; RangeError when a secret key is
 * ℓ or more.
 * @example
 * const [first] = scanBlock(block, txs, { viewSecret: account.viewSecret }, addresses);
 * formatCoins(first.outputs[0].amount); // => '1.500000000000'
 */
export function scanBlock(
  { minerTx, txHashes }: Pick<Block, 'minerTx' | 'txHashes'>,
  txs: readonly FetchedTx[],
  keys: ReceivingKeys,
  table: SubaddressTable,
): readonly ReceivingTx[] {
  if (txs.length !== txHashes.length || txHashes.some((hash, i) => !equalBytes(hash, hashOf(txs[i]))))
    throw wrongTransaction('other transactions than those of the block');
  const all = [minerTx, ...txs.map(readFetchedTx)];
  const found = ownOutputsOf(all, keys, table, {
    onPaid: (index) => table.expandTo(index),
  });
  return all.flatMap((tx, i) => {
    const outputs = found[i] ?? [];
    if (outputs.length === 0) return [];
    const hash = i === 0 ? transactionHash(minerTx) : (txHashes[i - 1] as Hash);
    const paymentId = receivedPaymentId(parseExtra(tx.prefix.extra).fields, keys.viewSecret);
    return [{ hash, tx, outputs, ...(paymentId === undefined ? {} : { paymentId }) }];
  });
}

const hashOf = (tx: FetchedTx | undefined): Uint8Array => tx?.hash ?? new Uint8Array();
