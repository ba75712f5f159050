import type { Hash, PublicKey, SecretKey } from '../../monero/crypto/types.js';
import {
  additionalPublicKeys,
  parseExtra,
  txPublicKeys,
  type ExtraField,
} from '../../monero/cryptonote/extra.js';
import { unprunedSize } from '../../monero/cryptonote/transaction.js';
import type { Transaction } from '../../monero/cryptonote/types.js';
import type { ParsedTxs } from '../../daemon/parsed-txs.js';
import { ZERO, type Amount } from '../../util/amount.js';
import { keyImagesOf } from '../../monero/wallet/exchange/pending-tx.js';
import { receivedPaymentId } from '../../monero/wallet/scan/own-outputs-in.js';
import type { FoundOutput, ReceivingKeys } from '../../monero/wallet/scan/receive.js';
import type { OwnedOutput, ReceivedTx } from '../../monero/wallet/model/records.js';
import type { TxsOfBlock } from './chain-block.js';
import type { OutputMatch } from '../../monero/wallet/scan/output-matches.js';

/** A transaction, parsed into a value, that has output matches. */
export interface BuiltTx {
  /** Hash of the transaction, as a copy that does not keep the memory of the page. */
  readonly hash: Hash;
  readonly tx: Transaction;
  /** Transactions of the page, and in `tx` the index of this transaction among them. */
  readonly outlines: ParsedTxs;
  readonly at: number;
  readonly matches: readonly OutputMatch[];
}

/** Builds the record of a transaction that pays the wallet. */
export function receivedTx(built: BuiltTx, block: TxsOfBlock, keys: ReceivingKeys): ReceivedTx {
  const { tx } = built;
  const { fields } = parseExtra(tx.prefix.extra);
  return {
    txHash: built.hash,
    height: block.height,
    timestamp: block.timestamp,
    unlockTime: tx.prefix.unlockTime,
    fee: feeOf(tx),
    coinbase: built.outlines.isCoinbase(built.at),
    size: unprunedSize(tx, built.outlines.blob(built.at).length),
    ...paymentIdIn(built, fields, keys.viewSecret),
    txPublicKey: txPublicKeys(fields)[0] ?? (new Uint8Array(32) as PublicKey),
    additionalPublicKeys: additionalPublicKeys(fields),
    ...(keys.spendSecret === undefined ? { spentKeyImages: keyImagesOf(tx) } : {}),
  };
}

/**
 * Decrypts the short payment id of a transaction.
 * @param fields fields of the transaction's extra.
 */
export function paymentIdIn(
  { matches }: BuiltTx,
  fields: readonly ExtraField[],
  viewSecret: SecretKey,
): { readonly paymentId?: Uint8Array } {
  const paymentId = receivedPaymentId(fields, viewSecret, matches);
  return paymentId === undefined ? {} : { paymentId };
}

export const feeOf = (tx: Transaction): Amount => tx.rct?.base.fee ?? ZERO;

/**
 * Adds to a found output its transaction and block.
 * @param change true if the output returns to the account that paid.
 */
export function place(found: FoundOutput, built: BuiltTx, block: TxsOfBlock, change: boolean): OwnedOutput {
  const { tx } = built;
  return {
    ...found,
    txHash: built.hash,
    globalIndex: built.outlines.globalIndex(built.at, found.outputIndex),
    rct: built.outlines.version(built.at) === 2,
    height: block.height,
    unlockTime: tx.prefix.unlockTime,
    coinbase: built.outlines.isCoinbase(built.at),
    change,
    burnt: false,
    frozen: false,
  };
}
