import type { ConfirmationScale } from '../../model/payment-request.js';

/** Settings of payment requests. */
export interface RequestSettings {
  /** Confirmations that requests need by their amount. */
  readonly scale: ConfirmationScale;
  /** Address of the pay pages without the token, ending with a slash; absent: there are no pay pages. */
  readonly payUrl?: string;
}
