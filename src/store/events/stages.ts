import {
  COINBASE_UNLOCK_BLOCKS,
  SPENDABLE_AGE_BLOCKS,
  UNLOCK_LEEWAY_BLOCKS,
  UNLOCK_LEEWAY_SECONDS,
} from '../../monero/cryptonote/constants.js';
import { isHeightLock } from '../../monero/cryptonote/unlock-time.js';
import { UNLOCKED } from '../tables/event-row.js';
import type { StageTexts } from '../tables/stage-ranges.js';

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

/**
 * Rule of a payment's lock: `none`; `coinbase`, 60 blocks above its own, which all miner transactions have; `other`, which
 * is recorded for each payment.
 */
export type LockKind = 'none' | 'coinbase' | 'other';

/** Heights from `min` to `max`, both inclusive, whose payments reach the same stages. */
export interface StagedHeights {
  readonly min: number;
  readonly max: number;
  readonly stages: StageTexts;
}

/** Longest growth of a chain whose heights are cached: that of a page. */
const MAX_CACHED_GROWTH = 1000;

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

/** Returns the kind of lock of a payment. */
export function lockOf({ height, unlockTime }: StagedPayment): LockKind {
  if (unlockTime === 0n) return 'none';
  return unlockTime === BigInt(height + COINBASE_UNLOCK_BLOCKS) ? 'coinbase' : 'other';
}

/** Depth of the tip at which a payment with a kind of lock is unlocked; the block of the payment has depth 1. */
const UNLOCK_DEPTH: Readonly<Record<LockKind, number>> = {
  none: SPENDABLE_AGE_BLOCKS,
  coinbase: Math.max(SPENDABLE_AGE_BLOCKS, COINBASE_UNLOCK_BLOCKS - UNLOCK_LEEWAY_BLOCKS + 1),
  other: Infinity,
};

/** Computes the stages of mined payments: thresholds of confirmations, and `unlocked`. */
export class Stages {
  /** Ascending. */
  readonly #thresholds: readonly number[];
  /** Depths of the tip at which payments without a lock of their own reach a stage, each once. */
  readonly #depths: readonly number[];
  /** Confirmations from which a payment without a lock of its own reaches no further stage. */
  readonly deepest: number;
  /** Results of {@link heights} for a chain up to {@link deepest}, by its growth. */
  readonly #heights = new Map<number, readonly StagedHeights[]>();
  readonly #texts: Readonly<Record<LockKind, Map<number, string>>> = {
    none: new Map(),
    coinbase: new Map(),
    other: new Map(),
  };

  /** @param confirmations thresholds; 1 is reached in the block of the payment. */
  constructor(confirmations: readonly number[]) {
    this.#thresholds = [...new Set(confirmations)].sort((a, b) => a - b);
    this.#depths = [...new Set([...this.#thresholds, UNLOCK_DEPTH.none, UNLOCK_DEPTH.coinbase])];
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

  /** Stages of payments with a kind of lock when the depth of the tip grows from one to another. */
  #deepening(kind: LockKind, from: number, to: number): string {
    const confirmed = this.#thresholds.map((n) => ({ depth: n, stage: String(n) }));
    return [...confirmed, { depth: UNLOCK_DEPTH[kind], stage: UNLOCKED }]
      .filter(({ depth }) => depth > from && depth <= to)
      .sort((a, b) => a.depth - b.depth)
      .map(({ stage }) => stage)
      .join(',');
  }

  /**
   * {@link between} of a payment in the block at a height that was in no block before, comma separated; without
   * `unlocked` for an `other` lock.
   */
  reachedAt(kind: LockKind, height: number, tip: number): string {
    const texts = this.#texts[kind];
    const depth = Math.min(tip - height + 1, this.deepest);
    const known = texts.get(depth);
    if (known !== undefined) return known;
    const text = this.#deepening(kind, 0, depth);
    texts.set(depth, text);
    return text;
  }

  /** Heights up to `from` whose payments reach stages when the tip moves, ascending; without those of `other` locks. */
  heights(from: number, to: number): StagedHeights[] {
    const base = this.deepest;
    const growth = to - from;
    // High enough, the heights depend on the growth of the chain alone.
    if (from < base || growth > MAX_CACHED_GROWTH) return this.#computeHeights(from, to);
    let known = this.#heights.get(growth);
    if (known === undefined) this.#heights.set(growth, (known = this.#computeHeights(base, base + growth)));
    return known.map(({ min, max, stages }) => ({
      ...{ min: min + from - base, max: max + from - base },
      stages,
    }));
  }

  #computeHeights(from: number, to: number): StagedHeights[] {
    // The stages change at these heights only.
    const bounds = this.#depths
      .flatMap((depth) => [from - depth + 2, to - depth + 2])
      .map((height) => Math.max(0, Math.min(from + 1, height)));
    const sorted = [...new Set(bounds)].sort((a, b) => a - b);
    return sorted.flatMap((min, i) => {
      const next = sorted[i + 1];
      const reached = (kind: LockKind): string => this.#deepening(kind, from - min + 1, to - min + 1);
      const stages = { none: reached('none'), coinbase: reached('coinbase'), other: reached('other') };
      const isEmpty = stages.none === '' && stages.coinbase === '';
      return next === undefined || isEmpty ? [] : [{ min, max: next - 1, stages }];
    });
  }
}
