import {
  COINBASE_UNLOCK_BLOCKS,
  SPENDABLE_AGE_BLOCKS,
  UNLOCK_LEEWAY_BLOCKS,
} from '../../monero/cryptonote/constants.js';
import { openingOf } from '../../monero/cryptonote/unlock-time.js';
import { UNLOCKED, type StageTexts } from '../tables/events.js';

/** Fields of a mined payment on which its stages depend. */
export interface StagedPayment {
  readonly height: number;
  readonly unlockTime: bigint;
}

/**
 * Kind of a payment's lock: `none`; `coinbase`, an unlock time 60 blocks above the payment's block, as every miner
 * transaction has it; `other`, any other unlock time: such payments are recorded one by one.
 */
export type LockKind = 'none' | 'coinbase' | 'other';

/** Range of heights, both inclusive, whose payments reach the same stages. */
export interface StagedHeights {
  readonly min: number;
  readonly max: number;
  readonly stages: StageTexts;
}

/** Largest growth of the chain for which results are cached; the largest page has as many blocks. */
const MAX_CACHED_GROWTH = 1000;

/** Returns the kind of lock of a payment. */
export function lockOf({ height, unlockTime }: StagedPayment): LockKind {
  if (unlockTime === 0n) return 'none';
  return unlockTime === BigInt(height + COINBASE_UNLOCK_BLOCKS) ? 'coinbase' : 'other';
}

/**
 * Number of confirmations at which a payment is unlocked, by kind of lock; in its own block a payment has 1
 * confirmation.
 */
const UNLOCK_DEPTH: Readonly<Record<LockKind, number>> = {
  none: SPENDABLE_AGE_BLOCKS,
  coinbase: Math.max(SPENDABLE_AGE_BLOCKS, COINBASE_UNLOCK_BLOCKS - UNLOCK_LEEWAY_BLOCKS + 1),
  other: Infinity,
};

/** Computes the stages of mined payments. Stages are numbers of confirmations, and `unlocked`. */
export class Stages {
  /** Numbers of confirmations that are stages, each once. */
  readonly #thresholds: readonly number[];
  /** Numbers of confirmations at which payments without an `other` lock reach a stage, each once. */
  readonly #depths: readonly number[];
  /** Number of confirmations at which a payment without an `other` lock has reached every stage. */
  readonly deepest: number;
  /** Results of {@link heights} for a tip that moves from {@link deepest}, by the growth of the chain. */
  readonly #heights = new Map<number, readonly StagedHeights[]>();
  readonly #texts: Readonly<Record<LockKind, Map<number, string>>> = {
    none: new Map(),
    coinbase: new Map(),
    other: new Map(),
  };

  /** @param confirmations numbers of confirmations that are stages; 1 is reached in the payment's own block. */
  constructor(confirmations: readonly number[]) {
    this.#thresholds = [...new Set(confirmations)];
    this.#depths = [...new Set([...this.#thresholds, UNLOCK_DEPTH.none, UNLOCK_DEPTH.coinbase])];
    this.deepest = Math.max(...this.#depths);
  }

  /**
   * Returns the stages that a payment reaches when the tip moves from `from` to `to` (-1: empty chain). `unlocked` is
   * left out if it depends on the time.
   */
  between(payment: StagedPayment, from: number, to: number): string[] {
    const isNew = (tip: number): boolean => tip > from && tip <= to;
    const confirmed = this.#thresholds.map((n) => ({ tip: payment.height + n - 1, stage: String(n) }));
    const { height, time } = openingOf(payment);
    return [...confirmed, ...(time === 0 ? [{ tip: height, stage: UNLOCKED }] : [])]
      .filter(({ tip }) => isNew(tip))
      .sort((a, b) => a.tip - b.tip)
      .map(({ stage }) => stage);
  }

  /**
   * Returns the stages that payments with a kind of lock reach when their confirmations grow from `from` to `to`; comma
   * separated.
   */
  #deepening(kind: LockKind, from: number, to: number): string {
    const confirmed = this.#thresholds.map((n) => ({ depth: n, stage: String(n) }));
    return [...confirmed, { depth: UNLOCK_DEPTH[kind], stage: UNLOCKED }]
      .filter(({ depth }) => depth > from && depth <= to)
      .sort((a, b) => a.depth - b.depth)
      .map(({ stage }) => stage)
      .join(',');
  }

  /**
   * Returns the stages that a newly found payment in the block at `height` has reached at `tip`, comma separated. For
   * an `other` lock `unlocked` is left out.
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

  /**
   * Returns the ranges of heights up to `from` whose payments reach stages when the tip moves from `from` to `to`,
   * ascending; payments with an `other` lock are left out.
   */
  heights(from: number, to: number): StagedHeights[] {
    const base = this.deepest;
    const growth = to - from;
    // For a tip above the deepest stage, the ranges relative to the tip depend on the growth of the chain alone.
    if (from < base || growth > MAX_CACHED_GROWTH) return this.#computeHeights(from, to);
    let known = this.#heights.get(growth);
    if (known === undefined) this.#heights.set(growth, (known = this.#computeHeights(base, base + growth)));
    return known.map(({ min, max, stages }) => ({
      ...{ min: min + from - base, max: max + from - base },
      stages,
    }));
  }

  #computeHeights(from: number, to: number): StagedHeights[] {
    // The reached stages change at these heights only.
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
