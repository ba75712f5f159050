import type { PayState } from './pay-view.js';

/** Texts of the pay page in one language. Amounts are texts with their unit. */
export interface PayTexts {
  /** Language tag. Source: BCP 47. */
  readonly lang: string;
  /** Heading of a page without an amount. */
  readonly anyAmount: string;
  readonly headings: Readonly<Record<PayState, string>>;
  /** Explanation of a state; the texts of `partial` and `overpaid`, which contain the amount, are below. */
  readonly details: Readonly<Record<Exclude<PayState, 'partial' | 'overpaid' | 'confirming'>, string>>;
  sendMissing(missing: string): string;
  tooMuch(excess: string): string;
  confirmations(count: number, needed: number): string;
  readonly confirmationsName: string;
  /** Hint for payments that arrived in part before the expiry. */
  tooLittle(received: string): string;
  tooLate(late: string): string;
  lockedPayment(locked: string): string;
  readonly received: string;
  readonly unmined: string;
  readonly missing: string;
  readonly code: string;
  readonly openWallet: string;
  readonly amount: string;
  readonly missingAmount: string;
  readonly address: string;
  readonly copyAmount: string;
  readonly copyAddress: string;
  readonly copy: string;
  readonly copied: string;
  readonly timeLeft: string;
  days(count: number): string;
  readonly back: string;
  readonly notSynced: string;
  readonly offline: string;
  /** Note for browsers without JavaScript. */
  readonly reloads: string;
  readonly notFound: string;
  readonly notFoundHint: string;
  readonly busy: string;
  readonly busyHint: string;
}

/** English texts of the pay page. */
export const ENGLISH: PayTexts = {
  lang: 'en',
  anyAmount: 'Payment in Monero',
  headings: {
    waiting: 'Waiting for payment',
    partial: 'Part of the amount has arrived',
    received: 'Payment received',
    seen: 'Payment detected',
    confirming: 'Payment is being confirmed',
    paid: 'Paid',
    overpaid: 'Paid, more than requested',
    expired: 'Payment request expired',
  },
  details: {
    waiting: 'Scan the code, or copy amount and address into your wallet.',
    received: 'Thank you. You may close this page.',
    seen: 'The next block will contain it, in about two minutes. You need not do anything.',
    paid: 'Thank you. The payment is complete.',
    expired: 'Please do not pay any more: the payment would not be assigned.',
  },
  sendMissing: (missing) => `Please send the missing ${missing} too.`,
  tooMuch: (excess) =>
    `The payment is complete. It exceeds the amount by ${excess}; ask the recipient about the difference.`,
  confirmations: (count, needed) =>
    `${count} of ${needed} ${needed === 1 ? 'confirmation' : 'confirmations'}`,
  confirmationsName: 'Confirmations of the payment',
  tooLittle: (received) => `${received} arrived in time, which is not enough: contact the recipient.`,
  tooLate: (late) => `${late} arrived too late: contact the recipient.`,
  lockedPayment: (locked) => `${locked} does not count yet, because its sender has locked it.`,
  received: 'Received',
  unmined: 'Not in a block yet',
  missing: 'Missing',
  code: 'QR code with address and amount',
  openWallet: 'Open in wallet',
  amount: 'Amount',
  missingAmount: 'Missing amount',
  address: 'Address',
  copyAmount: 'Copy amount',
  copyAddress: 'Copy address',
  copy: 'Copy',
  copied: 'Copied',
  timeLeft: 'Time left',
  days: (count) => `${count} ${count === 1 ? 'day' : 'days'}`,
  back: 'Back to the shop',
  notSynced: 'The server is catching up with the network: a payment may appear later than usual.',
  offline: 'No connection. The page shows the last known state.',
  reloads: 'This page reloads by itself.',
  notFound: 'There is no such payment page',
  notFoundHint: 'The link is incomplete, or the payment request is no longer valid.',
  busy: 'Please wait a moment',
  busyHint: 'The page cannot be shown now. It reloads by itself.',
};

/** German texts of the pay page. */
export const GERMAN: PayTexts = {
  lang: 'de',
  anyAmount: 'Zahlung in Monero',
  headings: {
    waiting: 'Warten auf die Zahlung',
    partial: 'Ein Teil des Betrags ist eingegangen',
    received: 'Zahlung eingegangen',
    seen: 'Zahlung erkannt',
    confirming: 'Zahlung wird bestätigt',
    paid: 'Bezahlt',
    overpaid: 'Bezahlt, mehr als gefordert',
    expired: 'Zahlungsfrist abgelaufen',
  },
  details: {
    waiting: 'Scannen Sie den Code, oder kopieren Sie Betrag und Adresse in Ihre Wallet.',
    received: 'Vielen Dank. Sie können diese Seite schließen.',
    seen: 'Der nächste Block wird sie enthalten, in etwa zwei Minuten. Sie müssen nichts weiter tun.',
    paid: 'Vielen Dank. Die Zahlung ist vollständig.',
    expired: 'Bitte zahlen Sie nicht mehr: Die Zahlung würde nicht zugeordnet.',
  },
  sendMissing: (missing) => `Bitte senden Sie auch die fehlenden ${missing}.`,
  tooMuch: (excess) =>
    `Die Zahlung ist vollständig. Sie übersteigt den Betrag um ${excess}; fragen Sie den Empfänger nach der Differenz.`,
  confirmations: (count, needed) =>
    `${count} von ${needed} ${needed === 1 ? 'Bestätigung' : 'Bestätigungen'}`,
  confirmationsName: 'Bestätigungen der Zahlung',
  tooLittle: (received) =>
    `${received} sind rechtzeitig eingegangen, aber zu wenig: Wenden Sie sich an den Empfänger.`,
  tooLate: (late) => `${late} sind zu spät eingegangen: Wenden Sie sich an den Empfänger.`,
  lockedPayment: (locked) => `${locked} zählen noch nicht, weil der Absender sie gesperrt hat.`,
  received: 'Eingegangen',
  unmined: 'Noch in keinem Block',
  missing: 'Fehlbetrag',
  code: 'QR-Code mit Adresse und Betrag',
  openWallet: 'In Wallet öffnen',
  amount: 'Betrag',
  missingAmount: 'Fehlbetrag',
  address: 'Adresse',
  copyAmount: 'Betrag kopieren',
  copyAddress: 'Adresse kopieren',
  copy: 'Kopieren',
  copied: 'Kopiert',
  timeLeft: 'Verbleibende Zeit',
  days: (count) => `${count} ${count === 1 ? 'Tag' : 'Tage'}`,
  back: 'Zurück zum Shop',
  notSynced: 'Der Server gleicht sich mit dem Netzwerk ab: Eine Zahlung erscheint möglicherweise verspätet.',
  offline: 'Keine Verbindung. Die Seite zeigt den letzten bekannten Stand.',
  reloads: 'Diese Seite lädt sich selbst neu.',
  notFound: 'Diese Zahlungsseite gibt es nicht',
  notFoundHint: 'Der Link ist unvollständig, oder die Zahlungsaufforderung gilt nicht mehr.',
  busy: 'Bitte einen Moment Geduld',
  busyHint: 'Die Seite kann gerade nicht angezeigt werden. Sie lädt sich selbst neu.',
};
