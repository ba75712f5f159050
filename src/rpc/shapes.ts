import type { SubaddressIndex } from '../cryptonote/types.js';
import { ListedRows, type JsonRows } from '../jsonrpc/json-rows.js';
import type { HistoryEntry, PaymentView } from '../services/history/history-rows.js';
import type { Paged } from '../services/history/history.js';
import type { Json } from '../util/json.js';
import { bytes32, fromHex, isHex, toHex } from '../util/bytes.js';
import { WalletError } from '../wallet/model/wallet-error.js';
import type { Hash, KeyImage } from '../crypto/types.js';
import type { ErrorTexts } from './error-texts.js';

type JsonObject = { readonly [key: string]: Json | undefined };

export const indexShape = ({ major, minor }: SubaddressIndex): JsonObject => ({ major, minor });

/** Messages of methods with an address or OpenAlias name. Source: wallet_rpc_server.cpp `validate_transfer`. */
export const WRONG_ADDRESS: Partial<ErrorTexts> = {
  wrong_address: ({ address, text, reason }) =>
    address === undefined ? (text ?? reason) : `WALLET_RPC_ERROR_CODE_WRONG_ADDRESS: ${address}`,
};

/** Converts pages of a long answer to JSON rows. */
export function rowsOf<T>({ pages, release }: Paged<readonly T[]>, shape: (item: T) => Json): JsonRows {
  const shaped = async function* (): AsyncGenerator<readonly Json[]> {
    for await (const page of pages) yield page.map(shape);
  };
  return new ListedRows(shaped(), release);
}

/** Payment id as 16 hex digits, or 64 for a long one; zeros if there is none. */
export const paymentIdShape = (paymentId: Uint8Array | undefined): string =>
  toHex(paymentId ?? new Uint8Array(8));

/** Row of get_transfers. Source: wallet_rpc_server_commands_defs.h `transfer_entry`. */
export function transferEntry(entry: HistoryEntry): JsonObject {
  return {
    address: entry.address,
    amount: entry.amount,
    amounts: entry.amounts,
    confirmations: entry.confirmations,
    double_spend_seen: entry.doubleSpendSeen,
    fee: entry.fee,
    height: entry.height,
    note: entry.note,
    payment_id: paymentIdShape(entry.paymentId),
    subaddr_index: indexShape(entry.subaddress),
    subaddr_indices: entry.subaddresses.map(indexShape),
    suggested_confirmations_threshold: entry.suggestedConfirmationsThreshold,
    timestamp: entry.timestamp,
    txid: toHex(entry.txHash),
    type: entry.type,
    unlock_time: entry.unlockTime,
    locked: entry.locked,
    destinations: entry.destinations.map(({ address, amount }) => ({ address, amount })),
    change_amount: entry.change === undefined || entry.change === 0n ? undefined : entry.change,
  };
}

/** @param paymentId in hex, as given by the client. */
export const paymentShape = ({ payment, address, locked }: PaymentView, paymentId: string): JsonObject => ({
  payment_id: paymentId,
  tx_hash: toHex(payment.tx.txHash),
  amount: payment.amount,
  block_height: payment.tx.height,
  unlock_time: payment.tx.unlockTime,
  locked,
  subaddr_index: indexShape(payment.subaddress),
  address,
});

/** @throws WalletError `wrong_key_image` */
export function readKeyImage(text: string): KeyImage {
  if (!isHex(text) || text.length !== 64)
    throw new WalletError({ kind: 'wrong_key_image', reason: 'a key image has 64 hex digits' });
  return bytes32<'KeyImage'>(fromHex(text), 'KeyImage');
}

/** @throws WalletError `wrong_tx_hash` */
export function readTxHash(text: string): Hash {
  if (!isHex(text) || text.length !== 64)
    throw new WalletError({
      kind: 'wrong_tx_hash',
      reason: 'a transaction hash has 64 hex digits',
    });
  return fromHex(text) as Hash;
}
