import {
  SPENDABLE_AGE_BLOCKS,
  UNLOCK_LEEWAY_BLOCKS,
  UNLOCK_LEEWAY_SECONDS,
} from '../../cryptonote/constants.js';
import { isHeightLock } from '../../cryptonote/unlock-time.js';
import { UNLOCKED } from '../tables/event-row.js';

/** Fields of a mined payment that decide its stages. */
export interface StagedPayment {
  readonly height: number;
  readonly unlockTime: bigint;
}

/** Least tip and time at which a payment is unlocked. */
export interface Opening {
  /** Height of the tip. */
  readonly height: number;
  /** Unix time [s]; 0: any. */
  readonly time: number;
}

/** Heights above `min`, to `max` inclusive. */
interface Heights {
  readonly min: number;
  readonly max: number;
}

/** Greatest value of a height or a time; it is never reached. */
const NEVER = Number.MAX_SAFE_INTEGER;

const bounded = (value: bigint): number => (value > BigInt(NEVER) ? NEVER : Number(value));

/** Returns when a payment is unlocked, by the rule of `isUnlocked` in `wallet/model/unlock-time.ts`. */
export function openingOf({ height, unlockTime }: StagedPayment): Opening {
  const aged = height + SPENDABLE_AGE_BLOCKS - 1;
  return isHeightLock(unlockTime)
    ? { height: Math.max(aged, Number(unlockTime) - UNLOCK_LEEWAY_BLOCKS), time: 0 }
    : { height: aged, time: bounded(unlockTime - BigInt(UNLOCK_LEEWAY_SECONDS)) };
}

/** Computes the stages of mined payments: thresholds of confirmations, and `unlocked`. */
export class Stages {
  /** Ascending. */
  readonly #thresholds: readonly number[];
  /** Depths of the tip at which payments without an unlock time reach a stage, each once. */
  readonly #depths: readonly number[];

  /** @param confirmations thresholds; 1 is reached in the block of the payment. */
  constructor(confirmations: readonly number[]) {
    this.#thresholds = [...new Set(confirmations)].sort((a, b) => a - b);
    this.#depths = [...new Set([...this.#thresholds, SPENDABLE_AGE_BLOCKS])];
  }

  /** Stages without a time lock that a payment reaches when the tip moves; a tip of -1 is that of no chain. */
  between(payment: StagedPayment, from: number, to: number): string[] {
    const isNew = (tip: number): boolean => tip > from && tip <= to;
    const confirmed = this.#thresholds.map((n) => ({ tip: payment.height + n - 1, stage: String(n) }));
    const { height, time } = openingOf(payment);
    return [...confirmed, ...(time === 0 ? [{ tip: height, stage: UNLOCKED }] : [])]
      .filter(({ tip }) => isNew(tip))
      .sort((a, b) => a.tip - b.tip)
      .map(({ stage }) => stage);
  }

  /** Heights up to `from` whose payments without an unlock time reach a stage when the tip moves; disjoint ranges. */
  heights(from: number, to: number): Heights[] {
    const ranges: Heights[] = [];
    const moved = this.#depths
      .map((depth) => ({ min: from - depth + 1, max: Math.min(from, to - depth + 1) }))
      .filter(({ min, max }) => min < max)
      .sort((a, b) => a.min - b.min);
    for (const range of moved) {
      const last = ranges.at(-1);
      if (last !== undefined && range.min <= last.max)
        ranges[ranges.length - 1] = { min: last.min, max: Math.max(last.max, range.max) };
      else ranges.push(range);
    }
    return ranges;
  }
}
