import type { Amount } from '../util/amount.js';

/** Rule by which payments in the mempool make a request paid, given by the merchant. */
export interface ZeroConfRule {
  /** Largest requested amount for which the rule holds [atomic units]. */
  readonly maxAmount: Amount;
  /** Least time for which the mempool has contained the payment [s]. */
  readonly minSeconds: number;
  /** Least number of listed nodes whose mempools contain the payment. */
  readonly minNodes: number;
  /** Least priority of its fee, from 1 (slow) to 4 (fastest); 0: any fee. */
  readonly minPriority: number;
}

/** Signals of a payment in the mempool. */
export interface PoolSignals {
  /** Number of listed nodes whose mempools contained it at the last look. */
  readonly seenBy: number;
  /** Priority of its fee when it was first seen, from 1 to 4; 0: below the lowest fee rate. */
  readonly priority: number;
}

/** True if a rule holds for a request. @param asked requested amount; undefined: an open request, which is never paid. */
export const isCovered = ({ maxAmount }: ZeroConfRule, asked: Amount | undefined): boolean =>
  asked !== undefined && asked <= maxAmount;

/** True if a payment in the mempool that no other one contests meets a rule. @param seconds time in the mempool [s]. */
export const meets = (rule: ZeroConfRule, { seenBy, priority }: PoolSignals, seconds: number): boolean =>
  seconds >= rule.minSeconds && seenBy >= rule.minNodes && priority >= rule.minPriority;

/** Returns the priority of a fee rate. @param perByte rates from slow to fastest [atomic units per byte of weight]. */
export const priorityOf = (fee: Amount, weight: number, perByte: readonly bigint[]): number =>
  perByte.filter((rate) => fee >= rate * BigInt(weight)).length;
