import type { Amount } from '../../../util/amount.js';

/** Number of confirmations that amounts from a smallest one on need. */
export interface ConfirmationStep {
  /** Smallest amount of the step [atomic units]. */
  readonly from: Amount;
  readonly confirmations: number;
}

/** Confirmations that payment requests need by their amount, by ascending amount; the first step begins at 0. */
export type ConfirmationScale = readonly ConfirmationStep[];

/** Returns the number of confirmations that a payment request over an amount needs. */
export const confirmationsFor = (scale: ConfirmationScale, amount: Amount): number =>
  scale.findLast(({ from }) => from <= amount)?.confirmations ?? 0;
