import type { WalletWriter } from '../../store/wallet-writer.js';
import type { MadePayments } from '../../model/made-payment.js';

/** Writes an order in the same store transaction as its payments. */
export interface OrderEntry {
  /**
   * Writes the order. @param made result of the call.
   * @param sent true if the store transaction also records the transactions as payments, which are sent afterwards.
   */
  record(w: WalletWriter, made: MadePayments, { sent }: { readonly sent: boolean }): void;
}
