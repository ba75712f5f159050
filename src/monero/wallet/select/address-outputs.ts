import type { Rng } from '../../../util/random.js';
import { InputPool, LARGE_ADDRESS, type Selection } from './input-selection.js';
import {
  nameOf,
  relatedness,
  type AddressFunds,
  type SpendableOutput,
  type SpendableOutputs,
} from './spendable-outputs.js';

/** Number of random draws for one input after which all outputs of the address are read. */
const DRAWS = 32;

/**
 * Number of inputs that are drawn singly from a large address; for more inputs it is cheaper to read all of its outputs
 * at once.
 */
const DRAWN_SINGLY = 500;

/**
 * Remaining outputs of one address. All outputs are read at the first draw; the outputs of a large address only after
 * many single draws.
 */
export class AddressOutputs<C extends SpendableOutput = SpendableOutput> {
  readonly minor: number;
  readonly #spendable: SpendableOutputs<C>;
  readonly #count: number;
  readonly #least: bigint;
  readonly #rng: Rng;
  readonly #taken = new Map<string, C>();
  #drawn: InputPool<C> | undefined;

  /** @param least smallest amount that is worth spending [atomic units]. */
  constructor(spendable: SpendableOutputs<C>, { minor, count }: AddressFunds, least: bigint, rng: Rng) {
    this.minor = minor;
    this.#spendable = spendable;
    this.#count = count;
    this.#least = least;
    this.#rng = rng;
  }

  get size(): number {
    return this.#count - this.#taken.size;
  }

  /** Removes an output; does nothing for an output of another address. */
  take(output: C): void {
    if (output.subaddress.minor !== this.minor) return;
    this.#taken.set(nameOf(output), output);
    this.#drawn?.take(output);
  }

  /** Removes and returns an output, at random among the outputs that are least related to the selection. */
  takeLeastRelated(selection: Selection<C>): C | undefined {
    const found = this.#draw(selection) ?? this.#pool().takeLeastRelated(selection);
    if (found !== undefined) this.take(found);
    return found;
  }

  /**
   * Returns the smallest output that is unrelated to a taken output, and of equal outputs the oldest output; the output
   * is not removed.
   */
  smallestUnrelated(other: C): C | undefined {
    // Only `other` was taken. An output is related to itself, so the query cannot return a taken output.
    if (this.#drawn === undefined && this.#taken.size <= 1)
      return this.#spendable.smallestUnrelated(this.minor, this.#least, other);
    return this.#pool()
      .outputs.filter((output) => relatedness(output, other) === 0)
      .reduce<C | undefined>((best, output) => (best && precedes(best, output) ? best : output), undefined);
  }

  /** Returns the number of outputs of at least an amount, counted only up to `enough`. */
  countFrom(value: bigint, enough: number): number {
    const taken = [...this.#taken.values()].filter(({ amount }) => amount >= value).length;
    return this.#spendable.countFrom(this.minor, value, enough + taken) - taken;
  }

  /** Draws an output that is unrelated to the selection from a large address, in which few outputs are related. */
  #draw(selection: Selection<C>): C | undefined {
    if (this.#drawn !== undefined || this.#count <= LARGE_ADDRESS) return undefined;
    if (this.#taken.size >= DRAWN_SINGLY) return undefined;
    for (let draw = 0; draw < DRAWS; draw++) {
      const coin = this.#spendable.draw(this.minor, this.#least, this.#rng);
      if (coin === undefined || this.#taken.has(nameOf(coin))) continue;
      if (selection.relatednessOf(coin) === 0) return coin;
    }
    return undefined;
  }

  #pool(): InputPool<C> {
    if (this.#drawn !== undefined) return this.#drawn;
    const remaining = this.#spendable
      .coins(this.minor, this.#least)
      .filter((output) => !this.#taken.has(nameOf(output)));
    return (this.#drawn = new InputPool(remaining, this.#rng));
  }
}

/** Returns true if `a` comes before `b` in the order by amount, then by age. */
function precedes(a: SpendableOutput, b: SpendableOutput): boolean {
  if (a.amount !== b.amount) return a.amount < b.amount;
  return a.height === b.height ? a.globalIndex < b.globalIndex : a.height < b.height;
}
