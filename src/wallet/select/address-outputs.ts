import { toHex } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import { InputPool, LARGE_ADDRESS, type Selection } from './input-selection.js';
import type { AddressFunds, SpendableOutput, SpendableOutputs } from './spendable-outputs.js';
import { relatedness } from './relatedness.js';

const nameOf = ({ txHash, outputIndex }: SpendableOutput): string => `${toHex(txHash)}/${outputIndex}`;

/** Draws for one input before the outputs are read all together. */
const DRAWS = 32;

/** Inputs drawn one by one from a large address: from then on reading all together is cheaper. */
const DRAWN_SINGLY = 500;

/**
 * The outputs of one address that are still to be had. They are read all together once the first is drawn, those of
 * a large address once many were.
 */
export class AddressOutputs<C extends SpendableOutput = SpendableOutput> {
  readonly minor: number;
  readonly #purse: SpendableOutputs<C>;
  readonly #count: number;
  readonly #least: bigint;
  readonly #rng: Rng;
  readonly #taken = new Map<string, C>();
  #drawn: InputPool<C> | undefined;

  /** @param least outputs of less are not worth spending. */
  constructor(purse: SpendableOutputs<C>, { minor, count }: AddressFunds, least: bigint, rng: Rng) {
    this.minor = minor;
    this.#purse = purse;
    this.#count = count;
    this.#least = least;
    this.#rng = rng;
  }

  get size(): number {
    return this.#count - this.#taken.size;
  }

  /** Removes an output; one of another address is ignored. */
  take(output: C): void {
    if (output.subaddress.minor !== this.minor) return;
    this.#taken.set(nameOf(output), output);
    this.#drawn?.take(output);
  }

  /** Removes a random one of those least related to what is selected already. */
  takeLeastRelated(selection: Selection<C>): C | undefined {
    const found = this.#draw(selection) ?? this.#pool().takeLeastRelated(selection);
    if (found !== undefined) this.take(found);
    return found;
  }

  /** The smallest of those unrelated to one that was taken, of equals the oldest; it stays. */
  smallestUnrelated(other: C): C | undefined {
    // Nothing else was taken that the purse could name again.
    if (this.#drawn === undefined && this.#taken.size <= 1)
      return this.#purse.smallestUnrelated(this.minor, this.#least, other);
    return this.#pool()
      .outputs.filter((output) => relatedness(output, other) === 0)
      .reduce<C | undefined>((best, output) => (best && comesFirst(best, output) ? best : output), undefined);
  }

  /** How many are of at least this amount; not counted beyond `enough`. */
  countFrom(value: bigint, enough: number): number {
    const taken = [...this.#taken.values()].filter(({ amount }) => amount >= value).length;
    return this.#purse.countFrom(this.minor, value, enough + taken) - taken;
  }

  /** A stranger to what is selected, where a few draws find one: few outputs of a large address are related. */
  #draw(selection: Selection<C>): C | undefined {
    if (this.#drawn !== undefined || this.#count <= LARGE_ADDRESS) return undefined;
    if (this.#taken.size >= DRAWN_SINGLY) return undefined;
    for (let draw = 0; draw < DRAWS; draw++) {
      const coin = this.#purse.draw(this.minor, this.#least, this.#rng);
      if (coin === undefined || this.#taken.has(nameOf(coin))) continue;
      if (selection.relatednessOf(coin) === 0) return coin;
    }
    return undefined;
  }

  #pool(): InputPool<C> {
    if (this.#drawn !== undefined) return this.#drawn;
    const left = this.#purse
      .coins(this.minor, this.#least)
      .filter((output) => !this.#taken.has(nameOf(output)));
    return (this.#drawn = new InputPool(left, this.#rng));
  }
}

/** The smaller, of equals the older. */
function comesFirst(a: SpendableOutput, b: SpendableOutput): boolean {
  if (a.amount !== b.amount) return a.amount < b.amount;
  return a.height === b.height ? a.globalIndex < b.globalIndex : a.height < b.height;
}
