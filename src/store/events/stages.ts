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

/** Heights from `min` to `max`, both inclusive, whose payments without an unlock time reach the same stages. */
interface StagedHeights {
  readonly min: number;
  readonly max: number;
  readonly stages: readonly string[];
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
  /** Confirmations from which a payment without an unlock time reaches no further stage. */
  readonly deepest: number;
  readonly #texts = new Map<number, string>();

  /** @param confirmations thresholds; 1 is reached in the block of the payment. */
  constructor(confirmations: readonly number[]) {
    this.#thresholds = [...new Set(confirmations)].sort((a, b) => a - b);
    this.#depths = [...new Set([...this.#thresholds, SPENDABLE_AGE_BLOCKS])];
    this.deepest = Math.max(...this.#depths);
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

  /** {@link between} of a payment without an unlock time in the block at a height, comma separated. */
  reachedAt(height: number, tip: number): string {
    const depth = Math.min(tip - height + 1, this.deepest);
    const known = this.#texts.get(depth);
    if (known !== undefined) return known;
    const text = this.between({ height: 0, unlockTime: 0n }, -1, depth - 1).join(',');
    this.#texts.set(depth, text);
    return text;
  }

  /** Heights up to `from` whose payments without an unlock time reach stages when the tip moves, ascending. */
  heights(from: number, to: number): StagedHeights[] {
    // The stages change at these heights only.
    const bounds = this.#depths
      .flatMap((depth) => [from - depth + 2, to - depth + 2])
      .map((height) => Math.max(0, Math.min(from + 1, height)));
    const sorted = [...new Set(bounds)].sort((a, b) => a - b);
    return sorted.flatMap((min, i) => {
      const next = sorted[i + 1];
      const stages = this.between({ height: min, unlockTime: 0n }, from, to);
      return next === undefined || stages.length === 0 ? [] : [{ min, max: next - 1, stages }];
    });
  }
}
