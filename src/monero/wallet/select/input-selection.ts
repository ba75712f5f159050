import { toHex } from '../../../util/bytes.js';
import { shuffled, uniformInt, type Rng } from '../../../util/random.js';
import {
  NEAR_BLOCKS,
  relatedness,
  relatednessOfHeights,
  SAME_BLOCK,
  SAME_TX,
  type SpendableOutput,
  type SpendableOutputs,
} from './spendable-outputs.js';

/*
 * Functions that select outputs to spend together, the least related outputs first. Source: wallet2.cpp
 * `pop_best_value_from`, `pick_preferred_rct_inputs`.
 */

/** Outputs that were selected so far. Rates another output by its relatedness to the closest selected output. */
export class Selection<C extends SpendableOutput = SpendableOutput> {
  readonly #outputs: C[] = [];
  readonly #transactions = new Set<string>();
  readonly #heights = new Map<number, number>();

  constructor(outputs: readonly C[] = []) {
    for (const output of outputs) this.add(output);
  }

  get outputs(): readonly C[] {
    return this.#outputs;
  }

  add(output: C): void {
    this.#outputs.push(output);
    this.#transactions.add(toHex(output.txHash));
    for (let distance = 1 - NEAR_BLOCKS; distance < NEAR_BLOCKS; distance++) {
      const at = output.height + distance;
      const score = relatednessOfHeights(Math.abs(distance));
      this.#heights.set(at, Math.max(score, this.#heights.get(at) ?? 0));
    }
  }

  /** Returns the relatedness of any output at a height that shares no transaction with the selection. */
  relatednessOfHeight(height: number): number {
    return this.#heights.get(height) ?? 0;
  }

  relatednessOf(output: SpendableOutput): number {
    const score = this.relatednessOfHeight(output.height);
    // Outputs of one transaction are in the same block, so transactions are compared only within a block.
    return score === SAME_BLOCK && this.#sharesTransaction(output) ? SAME_TX : score;
  }

  #sharesTransaction({ txHash }: SpendableOutput): boolean {
    return this.#transactions.has(toHex(txHash));
  }
}

/** The part of {@link Selection} that a pool of outputs needs. */
type Related = Pick<Selection, 'relatednessOf' | 'relatednessOfHeight'>;

/** Number of random draws after which the remaining outputs are searched in order. */
const DRAWS = 32;

/**
 * Outputs that can still be taken. Taking an output takes constant time in the usual case of many outputs in many
 * blocks.
 */
export class InputPool<C extends SpendableOutput = SpendableOutput> {
  readonly #rng: Rng;
  readonly #outputs: C[];
  readonly #indices = new Map<C, number>();
  readonly #byHeight = new Map<number, C[]>();

  constructor(outputs: readonly C[], rng: Rng) {
    this.#rng = rng;
    this.#outputs = shuffled(outputs, rng);
    this.#outputs.forEach((output, index) => {
      this.#indices.set(output, index);
      const block = this.#byHeight.get(output.height);
      if (block === undefined) this.#byHeight.set(output.height, [output]);
      else block.push(output);
    });
  }

  get size(): number {
    return this.#outputs.length;
  }

  /** Remaining outputs, in no particular order. */
  get outputs(): readonly C[] {
    return this.#outputs;
  }

  /** Removes an output; does nothing if it was removed before. */
  take(output: C): void {
    const index = this.#indices.get(output);
    const last = this.#outputs.at(-1);
    if (index === undefined || last === undefined) return;
    this.#outputs[index] = last;
    this.#indices.set(last, index);
    this.#outputs.pop();
    this.#indices.delete(output);
    const block = this.#byHeight.get(output.height) ?? [];
    block.splice(block.indexOf(output), 1);
    if (block.length === 0) this.#byHeight.delete(output.height);
  }

  /** Removes and returns an output, at random among the outputs that are least related to the selection. */
  takeLeastRelated(selection: Related): C | undefined {
    const found = this.#leastRelated(selection);
    if (found !== undefined) this.take(found);
    return found;
  }

  /**
   * Finds an output that is least related: first by random draws of an unrelated output, then by block, finally output
   * by output.
   */
  #leastRelated(selection: Related): C | undefined {
    const drawn = this.#draw([this.#outputs], (output) => selection.relatednessOf(output) === 0);
    if (drawn !== undefined) return drawn;
    let lowest = Infinity;
    let blocks: C[][] = [];
    for (const [height, block] of this.#byHeight) {
      const score = selection.relatednessOfHeight(height);
      if (score > lowest) continue;
      if (score < lowest) blocks = [];
      lowest = score;
      blocks.push(block);
    }
    const fits = (output: C): boolean => selection.relatednessOf(output) === lowest;
    const candidates = (): C[] => blocks.flat();
    return this.#draw(blocks, fits) ?? this.#any(candidates().filter(fits)) ?? this.#any(candidates());
  }

  /** Draws from the joined lists until `fits` returns true; undefined after {@link DRAWS} draws without success. */
  #draw(lists: readonly C[][], fits: (output: C) => boolean): C | undefined {
    const count = lists.reduce((total, list) => total + list.length, 0);
    for (let draw = 0; draw < DRAWS && count > 0; draw++) {
      const output = nth(lists, uniformInt(count, this.#rng));
      if (output !== undefined && fits(output)) return output;
    }
    return undefined;
  }

  #any(outputs: readonly C[]): C | undefined {
    return outputs.length === 0 ? undefined : outputs[uniformInt(outputs.length, this.#rng)];
  }
}

/** Returns the item at an index of the joined lists. */
function nth<T>(lists: readonly (readonly T[])[], index: number): T | undefined {
  let remaining = index;
  for (const list of lists) {
    if (remaining < list.length) return list[remaining];
    remaining -= list.length;
  }
  return undefined;
}

/** Number of outputs of an address above which they are read one by one instead of all at once. */
export const LARGE_ADDRESS = 1000;

/** A list that is read from an iterator on demand, each item once; it may be traversed repeatedly. */
class LazyList<T> {
  readonly #source: Iterator<T>;
  readonly #read: T[] = [];

  constructor(source: Iterable<T>) {
    this.#source = source[Symbol.iterator]();
  }

  /** Yields the items from an index on, each with its index. */
  *from(start: number): Iterable<readonly [number, T]> {
    for (let index = start; ; index++) {
      while (this.#read.length <= index) {
        const next = this.#source.next();
        if (next.done === true) return;
        this.#read.push(next.value);
      }
      yield [index, this.#read[index] as T];
    }
  }

  /** Ends the iterator. */
  end(): void {
    this.#source.return?.();
  }
}

/**
 * Returns the preferred inputs of a payment: the oldest single output that covers the payment; otherwise the least
 * related pair of outputs of one address that together cover it, and of equal pairs the oldest pair; empty if there are
 * no such outputs.
 * @param least smallest amount that is worth spending [atomic units].
 */
export function preferredInputs<C extends SpendableOutput>(
  spendable: SpendableOutputs<C>,
  needed: bigint,
  least: bigint,
): C[] {
  const single = spendable.oldest(needed > least ? needed : least);
  if (single !== undefined) return [single];
  let best: Pair<C> = { coins: [], score: SAME_TX };
  for (const { minor, count, total } of spendable.funds(least).addresses) {
    // The addresses are ordered by their sums, so later addresses do not cover the payment either.
    if (total < needed) break;
    if (count < 2) continue;
    const largest = spendable.largest(minor);
    if (2n * largest < needed) continue;
    const isLarge = count > LARGE_ADDRESS;
    const group = new LazyList(isLarge ? spendable.eachCoin(minor, least) : spendable.coins(minor, least));
    try {
      best = bestPair(group, largest, needed, best);
    } finally {
      group.end();
    }
    if (best.score === 0) break;
  }
  return [...best.coins];
}

interface Pair<C> {
  readonly coins: readonly C[];
  /** Relatedness of the two outputs. */
  readonly score: number;
}

/** Returns the first pair that covers `needed` and is less related than `known`. An unrelated pair ends the search. */
function bestPair<C extends SpendableOutput>(
  group: LazyList<C>,
  largest: bigint,
  needed: bigint,
  known: Pair<C>,
): Pair<C> {
  let best = known;
  for (const [i, first] of group.from(0)) {
    if (first.amount + largest < needed) continue;
    for (const [, second] of group.from(i + 1)) {
      if (first.amount + second.amount < needed) continue;
      const score = relatedness(first, second);
      if (score < best.score) best = { coins: [first, second], score };
      if (score === 0) return best;
    }
  }
  return best;
}
