import type { Amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { shuffled, uniformInt, type Rng } from '../../util/random.js';
import type { AddressFunds, SpendableOutput, SpendableOutputs } from './spendable-outputs.js';
import { NEAR_BLOCKS, relatedness, relatednessOfHeights, SAME_BLOCK, SAME_TX } from './relatedness.js';

/*
 * Which outputs to spend together: the least related go first.
 * Source: wallet2.cpp `pop_best_value_from`, `pick_preferred_rct_inputs`.
 */

/** The outputs chosen so far, and how related any other is to the closest of them. */
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

  /** Of any output in that block that shares no transaction. */
  relatednessOfHeight(height: number): number {
    return this.#heights.get(height) ?? 0;
  }

  relatednessOf(output: SpendableOutput): number {
    const score = this.relatednessOfHeight(output.height);
    // One transaction lies in one block: only there is it worth a look.
    return score === SAME_BLOCK && this.#sharesTransaction(output) ? SAME_TX : score;
  }

  #sharesTransaction({ txHash }: SpendableOutput): boolean {
    return this.#transactions.has(toHex(txHash));
  }
}

/** What a pool asks of the outputs chosen so far. */
type Related = Pick<Selection, 'relatednessOf' | 'relatednessOfHeight'>;

/** Draws before a pool is searched in order. */
const DRAWS = 32;

/** Outputs still to be had. Taking one takes constant time in the usual case of a large, spread out pool. */
export class InputPool<C extends SpendableOutput = SpendableOutput> {
  readonly #rng: Rng;
  readonly #outputs: C[];
  readonly #places = new Map<C, number>();
  readonly #byHeight = new Map<number, C[]>();

  constructor(outputs: readonly C[], rng: Rng) {
    this.#rng = rng;
    this.#outputs = shuffled(outputs, rng);
    this.#outputs.forEach((output, place) => {
      this.#places.set(output, place);
      const block = this.#byHeight.get(output.height);
      if (block === undefined) this.#byHeight.set(output.height, [output]);
      else block.push(output);
    });
  }

  get size(): number {
    return this.#outputs.length;
  }

  /** Those left, in no order. */
  get outputs(): readonly C[] {
    return this.#outputs;
  }

  /** Removes an output; one that is not there is ignored. */
  take(output: C): void {
    const place = this.#places.get(output);
    const last = this.#outputs.at(-1);
    if (place === undefined || last === undefined) return;
    this.#outputs[place] = last;
    this.#places.set(last, place);
    this.#outputs.pop();
    this.#places.delete(output);
    const block = this.#byHeight.get(output.height) ?? [];
    block.splice(block.indexOf(output), 1);
    if (block.length === 0) this.#byHeight.delete(output.height);
  }

  /** Removes a random one of those least related to what is selected already. */
  takeLeastRelated(selection: Related): C | undefined {
    const found = this.#leastRelated(selection);
    if (found !== undefined) this.take(found);
    return found;
  }

  /** Usually a few draws find a stranger; else the blocks are searched, and their outputs only at the last. */
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

  /** Draws from lists taken as one until an output fits, undefined when none does for long. */
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

/** Of lists taken as one. */
function nth<T>(lists: readonly (readonly T[])[], place: number): T | undefined {
  let left = place;
  for (const list of lists) {
    if (left < list.length) return list[left];
    left -= list.length;
  }
  return undefined;
}

/** Outputs of an address from which on they are not read all together where some may do. */
export const LARGE_ADDRESS = 1000;

/** Items gone through again and again, taken from their source once and when they are wanted. */
class ReadAhead<T> {
  readonly #source: Iterator<T>;
  readonly #read: T[] = [];

  constructor(source: Iterable<T>) {
    this.#source = source[Symbol.iterator]();
  }

  /** With their places. */
  *from(start: number): Iterable<readonly [number, T]> {
    for (let place = start; ; place++) {
      while (this.#read.length <= place) {
        const next = this.#source.next();
        if (next.done === true) return;
        this.#read.push(next.value);
      }
      yield [place, this.#read[place] as T];
    }
  }

  /** Nothing more is taken. */
  end(): void {
    this.#source.return?.();
  }
}

/**
 * The inputs of the usual payment: the oldest output that pays all alone, or two of one address that do and are
 * as little related as can be, the oldest again; empty when there are none.
 * @param least outputs of less are not worth spending.
 */
export function preferredInputs<C extends SpendableOutput>(
  purse: SpendableOutputs<C>,
  needed: bigint,
  least: bigint,
): C[] {
  const single = purse.oldest(needed > least ? needed : least);
  if (single !== undefined) return [single];
  let best: Pair<C> = { coins: [], score: SAME_TX };
  for (const { minor, count, total } of purse.funds(least).addresses) {
    const largest = purse.largest(minor);
    if (count < 2 || total < needed || 2n * largest < needed) continue;
    const isLarge = count > LARGE_ADDRESS;
    const group = new ReadAhead(isLarge ? purse.eachCoin(minor, least) : purse.coins(minor, least));
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
  /** How related they are. */
  readonly score: number;
}

/** The first two that pay and are less related than those known, the first strangers at once. */
function bestPair<C extends SpendableOutput>(
  group: ReadAhead<C>,
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

/** Which outputs of a purse a sweep takes. */
export interface SweepFilter {
  /** Of one address chosen at random, the account's own last; else of all. */
  readonly oneAddress: boolean;
  /** Only outputs of less than this; 0 takes all. */
  readonly below: Amount;
}

/** Source: wallet2.cpp `create_transactions_all`. */
export function sweepInputs<C extends SpendableOutput>(
  purse: SpendableOutputs<C>,
  { oneAddress, below }: SweepFilter,
  rng: Rng,
): C[] {
  const isWanted = ({ amount }: SpendableOutput): boolean => below === 0n || amount < below;
  const coinsOf = ({ minor }: AddressFunds): C[] => purse.coins(minor, 0n).filter(isWanted);
  const { addresses } = purse.funds(0n);
  if (!oneAddress) return addresses.flatMap(coinsOf);
  const held = addresses.filter(({ minor }) => {
    const smallest = below === 0n ? undefined : purse.smallest(minor);
    return smallest === undefined || isWanted(smallest);
  });
  const others = held.filter(({ minor }) => minor !== 0);
  const choice = others.length > 0 ? others : held;
  const chosen = choice.length === 0 ? undefined : choice[uniformInt(choice.length, rng)];
  return chosen === undefined ? [] : coinsOf(chosen);
}
