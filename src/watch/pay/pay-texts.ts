import type { PayState } from './pay-view.js';

/** Texts of the pay page in one language. Amounts are texts with their unit. */
export interface PayTexts {
  /** Language tag. Source: BCP 47. */
  readonly lang: string;
  /** Heading of a page without an amount. */
  readonly anyAmount: string;
  readonly headings: Readonly<Record<PayState, string>>;
  /** Explanation of a state; of `partial` and `overpaid` there are texts with the amount below. */
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
