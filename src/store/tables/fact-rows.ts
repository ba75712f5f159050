import type { PaymentFacts, TransferFacts } from '../../model/events.js';
import { toAmount, toBytes, toNumber, type Integer } from '../sql/columns.js';

/** Columns of a payment in the tables that contain reported facts. */
export interface PaymentFactRow {
  readonly tx_hash: Uint8Array;
  readonly account: Integer;
  readonly minor: Integer;
  readonly amount: Integer;
  readonly timestamp: Integer;
  readonly unlock_time: string;
  readonly payment_id: Uint8Array | null;
}

export const toPaymentFacts = (row: PaymentFactRow, coinbase: boolean): PaymentFacts => ({
  txHash: toBytes<'Hash'>(row.tx_hash),
  subaddress: { major: toNumber(row.account), minor: toNumber(row.minor) },
  amount: toAmount(row.amount),
  timestamp: toNumber(row.timestamp),
  unlockTime: BigInt(row.unlock_time),
  coinbase,
  ...(row.payment_id === null ? {} : { paymentId: Uint8Array.from(row.payment_id) }),
});

/** Columns of a transfer of the wallet, with the sum of its outputs that return to the paying account. */
export interface TransferFactRow {
  readonly tx_hash: Uint8Array;
  readonly account: Integer;
  readonly amount_in: Integer;
  readonly change: Integer;
  readonly fee: Integer;
}

export const toTransferFacts = (row: TransferFactRow): TransferFacts => ({
  txHash: toBytes<'Hash'>(row.tx_hash),
  account: toNumber(row.account),
  amountIn: toAmount(row.amount_in),
  change: toAmount(row.change),
  fee: toAmount(row.fee),
});
