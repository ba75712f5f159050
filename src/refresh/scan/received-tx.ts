import type { PublicKey } from '../../monero/crypto/types.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../../monero/cryptonote/extra.js';
import { unprunedSize } from '../../monero/cryptonote/transaction.js';
import type { Transaction } from '../../monero/cryptonote/types.js';
import type { ParsedTxs } from '../../daemon/parsed-txs.js';
import { ZERO } from '../../util/amount.js';
import { keyImagesOf } from '../../monero/wallet/exchange/pending-tx.js';
import { receivedPaymentId } from '../../monero/wallet/scan/own-outputs-in.js';
import type { FoundOutput, ReceivingKeys } from '../../monero/wallet/scan/receive.js';
import type { OwnedOutput, PoolTx, ReceivedTx } from '../../monero/wallet/model/records.js';
import { readTx } from './chain-block.js';
import type { OutputMatch } from '../../monero/wallet/scan/output-matches.js';

/** A transaction, parsed into a value, that has output matches. */
export interface MatchedTx {
  /** Transactions of the page, and in `at` the index of this transaction among them. */
  readonly txs: ParsedTxs;
  readonly at: number;
  readonly tx: Transaction;
  /** Output matches that pay an address of the wallet. */
  readonly matches: OutputMatch[];
}

/** Record of a transaction that pays the wallet, without its block. */
export type Receipt = Omit<ReceivedTx, 'height' | 'timestamp'>;

/** Parses the transaction with an index. @throws DaemonError `malformed` */
export const matchedTx = (txs: ParsedTxs, at: number): MatchedTx => ({
  txs,
  at,
  tx: readTx(txs, at),
  matches: [],
});

/** Builds the record of a transaction that pays the wallet, and decrypts its short payment id. */
export function receiptOf({ txs, at, tx, matches }: MatchedTx, keys: ReceivingKeys): Receipt {
  const { fields } = parseExtra(tx.prefix.extra);
  const paymentId = receivedPaymentId(fields, keys.viewSecret, matches);
  return {
    // A copy that does not keep the memory of the page.
    txHash: txs.hash(at),
    unlockTime: tx.prefix.unlockTime,
    fee: tx.rct?.base.fee ?? ZERO,
    coinbase: txs.isCoinbase(at),
    size: unprunedSize(tx, txs.blob(at).length),
    ...(paymentId === undefined ? {} : { paymentId }),
    txPublicKey: txPublicKeys(fields)[0] ?? (new Uint8Array(32) as PublicKey),
    additionalPublicKeys: additionalPublicKeys(fields),
    ...(keys.spendSecret === undefined ? { spentKeyImages: keyImagesOf(tx) } : {}),
  };
}

/**
 * Adds to a found output its transaction and the height of its block.
 * @param txs transactions of the page, among them at index `at` the one of the output.
 * @param change true if the output returns to the account that paid.
 */
export const ownedOutput = (
  found: FoundOutput,
  receipt: Receipt,
  { txs, at, height }: { readonly txs: ParsedTxs; readonly at: number; readonly height: number },
  change: boolean,
): OwnedOutput => ({
  ...found,
  txHash: receipt.txHash,
  globalIndex: txs.globalIndex(at, found.outputIndex),
  rct: txs.version(at) === 2,
  height,
  unlockTime: receipt.unlockTime,
  coinbase: receipt.coinbase,
  change,
  burnt: false,
  frozen: false,
});

/**
 * Makes the record of an unmined transaction that pays the wallet.
 * @param paid outputs that are no change.
 * @param seenAt time when the pool was read [Unix seconds].
 */
export const poolTx = (
  { txHash, unlockTime, fee, paymentId }: Receipt,
  paid: readonly FoundOutput[],
  { seenAt, doubleSpendSeen }: { readonly seenAt: number; readonly doubleSpendSeen: boolean },
): PoolTx => ({
  txHash,
  timestamp: seenAt,
  unlockTime,
  fee,
  ...(paymentId === undefined ? {} : { paymentId }),
  doubleSpendSeen,
  outputs: paid.map(({ outputIndex, publicKey, amount, subaddress }) => ({
    outputIndex,
    publicKey,
    amount,
    subaddress,
  })),
});
