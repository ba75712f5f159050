import { amount, sum, type Amount } from '../../util/amount.js';
import { uniformInt, type Rng } from '../../util/random.js';
import { relatedness } from './relatedness.js';
import type { OwnedOutput } from '../model/records.js';
import { isUnlocked } from '../model/unlock-time.js';

/** What the choice of inputs has to know of an output. */
export type SpendableOutput = Pick<
  OwnedOutput,
  | 'txHash'
  | 'outputIndex'
  | 'globalIndex'
  | 'amount'
  | 'subaddress'
  | 'height'
  | 'unlockTime'
  | 'rct'
  | 'keyImage'
>;

/** What the outputs of one address hold. */
export interface AddressFunds {
  readonly minor: number;
  readonly count: number;
  readonly total: bigint;
}

/**
 * The outputs of an account, or of some of its addresses, that nothing spends and that are neither frozen nor
 * burnt. By age is in the order of the chain: height, global index, transaction, place in it.
 */
export interface SpendableOutputSource<C extends SpendableOutput = SpendableOutput> {
  /** Of every address that has such outputs. */
  sums(): readonly AddressFunds[];
  /**
   * All that may not be spendable on these terms or is smaller than `least`: locked perhaps, without a key image,
   * from before RingCT. Each once.
   */
  exceptions(terms: SpendableTerms, least: bigint): readonly C[];
  /** At least as large as `least`, by age; read as far as it is gone through. */
  byAge(least: bigint): Iterable<C>;
  /** Those of an address at least as large as `least`, the smallest first, equals by age; read as `byAge` is. */
  bySize(minor: number, least: bigint): Iterable<C>;
  /** No output of the address is larger. */
  largest(minor: number): bigint;
  /** Those of an address at least as large as `least`, by age. */
  at(minor: number, least: bigint): readonly C[];
  /** The same, read as far as it is gone through: slower where all are. */
  each(minor: number, least: bigint): Iterable<C>;
  /** One of an address by its place among all that {@link sums} counts there, in any order that stands. */
  nth(minor: number, place: number): C | undefined;
}

/** When and by whom outputs are to be spent. */
export interface SpendableTerms {
  /** Number of blocks. */
  readonly chainHeight: number;
  /** Unix seconds. */
  readonly now: number;
  /** Outputs without a key image too: another wallet signs. */
  readonly blind: boolean;
}

/** What there is to pay with. */
export interface Funds {
  /** Of all outputs that may be spent now. */
  readonly available: Amount;
  /** Of those that may be spent later. */
  readonly locked: Amount;
  /** What may be spent now and is worth it; the richest first: few addresses are then seen to belong together. */
  readonly addresses: readonly AddressFunds[];
}

/** Outputs to pay with, of which no more are read than the choice among them needs. */
export class SpendableOutputs<C extends SpendableOutput = SpendableOutput> {
  readonly #source: SpendableOutputSource<C>;
  readonly #terms: SpendableTerms;
  readonly #funds = new Map<bigint, Funds>();
  #sums: ReadonlyMap<number, AddressFunds> | undefined;

  constructor(source: SpendableOutputSource<C>, terms: SpendableTerms) {
    this.#source = source;
    this.#terms = terms;
  }

  /** From sums, less what is no part of them now. @param least outputs of less are not worth spending. */
  funds(least: bigint): Funds {
    const known = this.#funds.get(least) ?? this.#sum(least);
    this.#funds.set(least, known);
    return known;
  }

  #sum(least: bigint): Funds {
    const sums = new Map([...this.#held()].map(([minor, held]) => [minor, { ...held }]));
    const available = [...sums.values()].reduce((held, { total }) => held + total, 0n);
    let missing = 0n;
    const locked: Amount[] = [];
    for (const coin of this.#source.exceptions(this.#terms, least)) {
      const payable = this.#isPayable(coin);
      if (!payable) missing += coin.amount;
      if (this.#isSignable(coin) && !this.#isUnlocked(coin)) locked.push(coin.amount);
      if (payable && coin.amount >= least) continue;
      const held = sums.get(coin.subaddress.minor);
      if (held === undefined) throw new Error('an output of an address that holds nothing');
      held.count -= 1;
      held.total -= coin.amount;
    }
    return {
      available: amount(available - missing),
      locked: sum(locked),
      addresses: [...sums.values()].filter(({ count }) => count > 0).sort(byWealth),
    };
  }

  /** The oldest of at least this amount. */
  oldest(least: bigint): C | undefined {
    for (const coin of this.#source.byAge(least)) if (this.#isPayable(coin)) return coin;
    return undefined;
  }

  /** The smallest of an address that shares no transaction or neighbourhood with another output; of equals the oldest. */
  smallestUnrelated(minor: number, least: bigint, other: SpendableOutput): C | undefined {
    for (const coin of this.#source.bySize(minor, least))
      if (this.#isPayable(coin) && relatedness(coin, other) === 0) return coin;
    return undefined;
  }

  /** Of an address. */
  smallest(minor: number): C | undefined {
    for (const coin of this.#source.bySize(minor, 0n)) if (this.#isPayable(coin)) return coin;
    return undefined;
  }

  /** How many outputs of an address are of at least this amount; not counted beyond `enough`. */
  countFrom(minor: number, least: bigint, enough: number): number {
    let count = 0;
    for (const coin of this.#source.bySize(minor, least)) {
      if (count >= enough) break;
      if (this.#isPayable(coin)) count += 1;
    }
    return count;
  }

  /** No output of the address is larger. */
  largest(minor: number): bigint {
    return this.#source.largest(minor);
  }

  /** All of an address, by age. */
  coins(minor: number, least: bigint): C[] {
    return this.#source.at(minor, least).filter((coin) => this.#isPayable(coin));
  }

  /** {@link coins}, read no further than its reader goes. */
  *eachCoin(minor: number, least: bigint): Iterable<C> {
    for (const coin of this.#source.each(minor, least)) if (this.#isPayable(coin)) yield coin;
  }

  /** Any of {@link coins} with the same chance, or none: the fewer of an address they are, the more often. */
  draw(minor: number, least: bigint, rng: Rng): C | undefined {
    const { count } = this.#held().get(minor) ?? { count: 0 };
    const coin = count === 0 ? undefined : this.#source.nth(minor, uniformInt(count, rng));
    return coin !== undefined && coin.amount >= least && this.#isPayable(coin) ? coin : undefined;
  }

  #held(): ReadonlyMap<number, AddressFunds> {
    return (this.#sums ??= new Map(this.#source.sums().map((held) => [held.minor, held])));
  }

  #isPayable(coin: SpendableOutput): boolean {
    return coin.rct && this.#isSignable(coin) && this.#isUnlocked(coin);
  }

  #isSignable({ keyImage }: SpendableOutput): boolean {
    return this.#terms.blind || keyImage !== undefined;
  }

  #isUnlocked(coin: SpendableOutput): boolean {
    return isUnlocked(coin, this.#terms.chainHeight, this.#terms.now);
  }
}

const byWealth = (a: AddressFunds, b: AddressFunds): number =>
  a.total > b.total ? -1 : a.total < b.total ? 1 : a.minor - b.minor;
