/** States of a pay page. */
export type PayPageState =
  | 'waiting'
  | 'partial'
  | 'received'
  | 'seen'
  | 'confirming'
  | 'paid'
  | 'overpaid'
  | 'expired'
  | 'cancelled';

/** Settings of a dialog with a pay page. */
export interface PayDialogOptions {
  /** Called with the state when the page is shown, and at each change. For display only: deliver on the event of the server. */
  readonly onState?: (state: PayPageState) => void;
  /** Called once, when the dialog was closed. @param state latest state; undefined if the page was not reached. */
  readonly onClose?: (state: PayPageState | undefined) => void;
  /** Accessible name of the dialog. Default: Monero. */
  readonly title?: string;
  /** Accessible name of the button that closes it. Default: Close. */
  readonly closeLabel?: string;
}

/** An open dialog. */
export interface PayDialog {
  close(): void;
}

/** Interface of `/pay/embed.js`, a global of the page. */
export interface WalletRpcPayApi {
  /**
   * Opens a pay page in a dialog.
   * @param url `pay_url` of a payment request.
   * @throws TypeError for any other address.
   */
  open(url: string | URL, options?: PayDialogOptions): PayDialog;
}

declare global {
  /** Present once `/pay/embed.js` is loaded. */
  const WalletRpcPay: WalletRpcPayApi;
}
