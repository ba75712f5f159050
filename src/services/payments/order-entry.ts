import type { WalletWriter } from '../../store/wallet-writer.js';
import type { MadePayments } from '../../monero/wallet/model/made-payment.js';

/** Writes an order in the store transaction that records its payments. */
export interface OrderEntry {
  /** @param made result of the call. @param sent its transactions are recorded as payments, and sent after that. */
  record(w: WalletWriter, made: MadePayments, { sent }: { readonly sent: boolean }): void;
}
