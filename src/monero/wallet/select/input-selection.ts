import { toHex } from '../../../util/bytes.js';
import { shuffled, uniformInt, type Rng } from '../../../util/random.js';
import type { SpendableOutput, SpendableOutputs } from './spendable-outputs.js';
import { NEAR_BLOCKS, relatedness, relatednessOfHeights, SAME_BLOCK, SAME_TX } from './relatedness.js';

/*
 * Selects outputs to spend together, the least related first.
 * Source: wallet2.cpp `pop_best_value_from`, `pick_preferred_rct_inputs`.
 */

/** Outputs selected so far; rates other outputs by their relatedness to the closest of them. */
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

  /** Relatedness of any output at that height that shares no transaction with the selection. */
  relatednessOfHeight(height: number): number {
    return this.#heights.get(height) ?? 0;
  }

  relatednessOf(output: SpendableOutput): number {
    const score = this.relatednessOfHeight(output.height);
    // Outputs of one transaction are in one block, so transactions are compared only within a block.
    return score === SAME_BLOCK && this.#sharesTransaction(output) ? SAME_TX : score;
  }

  #sharesTransaction({ txHash }: SpendableOutput): boolean {
    return this.#transactions.has(toHex(txHash));
  }
}

/** Part of a selection that a pool needs. */
type Related = Pick<Selection, 'relatednessOf' | 'relatednessOfHeight'>;

/** Random draws before a pool is searched in order. */
const DRAWS = 32;

/** Remaining outputs. Taking one takes constant time in the usual case of a large pool spread over many blocks. */
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

  /** Remaining outputs in no particular order. */
  get outputs(): readonly C[] {
    return this.#outputs;
  }

  /** Removes an output; an absent one is ignored. */
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

  /** Removes and returns a random output among the least related to the selection. */
  takeLeastRelated(selection: Related): C | undefined {
    const found = this.#leastRelated(selection);
    if (found !== undefined) this.take(found);
    return found;
  }

  /** Tries a few random draws for an unrelated output, then searches by block, and last output by output. */
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

  /** Draws from the concatenated lists until an output fits; undefined after {@link DRAWS} misses. */
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

/** Item at an index of the concatenated lists. */
function nth<T>(lists: readonly (readonly T[])[], index: number): T | undefined {
  let remaining = index;
  for (const list of lists) {
    if (remaining < list.length) return list[remaining];
    remaining -= list.length;
  }
  return undefined;
}

/** Number of outputs above which those of an address are read one by one instead of all at once. */
export const LARGE_ADDRESS = 1000;

/** List read lazily from an iterator, each item once; it may be traversed repeatedly. */
class LazyList<T> {
  readonly #source: Iterator<T>;
  readonly #read: T[] = [];

  constructor(source: Iterable<T>) {
    this.#source = source[Symbol.iterator]();
  }

  /** Items from an index on, each with its index. */
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

  /** Closes the source. */
  end(): void {
    this.#source.return?.();
  }
}

/**
 * Preferred inputs of a payment: the oldest single output that covers it, otherwise the least related pair of one
 * address that does, the oldest of equals; empty when there is none.
 * @param least smallest amount worth spending.
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
    const largest = spendable.largest(minor);
    if (count < 2 || total < needed || 2n * largest < needed) continue;
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
  /** Relatedness of the two. */
  readonly score: number;
}

/** First pair that covers `needed` and is less related than `known`; an unrelated pair ends the search. */
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
