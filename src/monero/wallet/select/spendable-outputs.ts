import { amount, descending, sum, type Amount } from '../../../util/amount.js';
import { uniformInt, type Rng } from '../../../util/random.js';
import { relatedness } from './relatedness.js';
import type { OwnedOutput } from '../model/records.js';
import { isUnlocked } from '../model/unlock-time.js';

/** Output fields needed for input selection. */
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

/** Addresses whose largest outputs are compared, the richest ones: a wallet may have a hundred thousand. */
const MOST_ADDRESSES = 1000;

/** Number and sum of the outputs of one address. */
export interface AddressFunds {
  readonly minor: number;
  readonly count: number;
  readonly total: bigint;
}

/**
 * Unspent outputs of an account, or of some of its addresses, that are neither frozen nor burnt. "By age" is the
 * order of the chain: height, global index, transaction, index in it.
 */
export interface SpendableOutputSource<C extends SpendableOutput = SpendableOutput> {
  /** Sums by address, of every address that has such outputs. */
  sums(): readonly AddressFunds[];
  /**
   * Outputs smaller than `least`, or possibly not spendable on these terms: locked, without a key image, or from
   * before RingCT. Each once.
   */
  exceptions(terms: SpendableTerms, least: bigint): readonly C[];
  /** Outputs of at least `least`, by age; read lazily. */
  byAge(least: bigint): Iterable<C>;
  /** Outputs of an address of at least `least`, the smallest first, equals by age; read lazily. */
  bySize(minor: number, least: bigint): Iterable<C>;
  /** Outputs of an address of at least `least`, the largest first, equals the youngest first; `most` of them. */
  bySizeDown(minor: number, least: bigint, most: number): readonly C[];
  /** Upper bound of the amounts of an address. */
  largest(minor: number): bigint;
  /** Outputs of an address of at least `least`, by age. */
  at(minor: number, least: bigint): readonly C[];
  /** {@link at}, read lazily: slower when all are read. */
  each(minor: number, least: bigint): Iterable<C>;
  /** Output of an address by its index among those that {@link sums} counts, in any fixed order. */
  nth(minor: number, place: number): C | undefined;
}

/** Conditions under which outputs are to be spent. */
export interface SpendableTerms {
  /** Number of blocks. */
  readonly chainHeight: number;
  /** Unix seconds. */
  readonly now: number;
  /** Include outputs without a key image: another wallet signs. */
  readonly blind: boolean;
}

/** Sums of spendable outputs. */
export interface Funds {
  /** Sum of the outputs spendable now. */
  readonly available: Amount;
  /** Sum of the locked outputs. */
  readonly locked: Amount;
  /** Outputs spendable now and worth spending, the richest address first so that a payment links few addresses. */
  readonly addresses: readonly AddressFunds[];
}

/** Spendable outputs of an account, read lazily from the store's indexes. */
export class SpendableOutputs<C extends SpendableOutput = SpendableOutput> {
  readonly #source: SpendableOutputSource<C>;
  readonly #terms: SpendableTerms;
  readonly #funds = new Map<bigint, Funds>();
  #sums: ReadonlyMap<number, AddressFunds> | undefined;

  constructor(source: SpendableOutputSource<C>, terms: SpendableTerms) {
    this.#source = source;
    this.#terms = terms;
  }

  /** Funds from the stored sums, less the exceptions. @param least smallest amount worth spending. */
  funds(least: bigint): Funds {
    const known = this.#funds.get(least) ?? this.#sum(least);
    this.#funds.set(least, known);
    return known;
  }

  #sum(least: bigint): Funds {
    const sums = new Map([...this.#sumsByAddress()].map(([minor, funds]) => [minor, { ...funds }]));
    const available = [...sums.values()].reduce((subtotal, { total }) => subtotal + total, 0n);
    let unavailable = 0n;
    const locked: Amount[] = [];
    for (const coin of this.#source.exceptions(this.#terms, least)) {
      const payable = this.#isPayable(coin);
      if (!payable) unavailable += coin.amount;
      if (this.#isSignable(coin) && !this.#isUnlocked(coin)) locked.push(coin.amount);
      if (payable && coin.amount >= least) continue;
      const funds = sums.get(coin.subaddress.minor);
      if (funds === undefined) throw new Error('an output of an address without outputs');
      funds.count -= 1;
      funds.total -= coin.amount;
    }
    return {
      available: amount(available - unavailable),
      locked: sum(locked),
      addresses: [...sums.values()].filter(({ count }) => count > 0).sort(byWealth),
    };
  }

  /** Oldest output of at least this amount. */
  oldest(least: bigint): C | undefined {
    for (const coin of this.#source.byAge(least)) if (this.#isPayable(coin)) return coin;
    return undefined;
  }

  /** Smallest output of an address that is unrelated to another output; the oldest of equals. */
  smallestUnrelated(minor: number, least: bigint, other: SpendableOutput): C | undefined {
    for (const coin of this.#source.bySize(minor, least))
      if (this.#isPayable(coin) && relatedness(coin, other) === 0) return coin;
    return undefined;
  }

  /** Number of outputs of an address of at least this amount, counted up to `enough`. */
  countFrom(minor: number, least: bigint, enough: number): number {
    let count = 0;
    for (const coin of this.#source.bySize(minor, least)) {
      if (count >= enough) break;
      if (this.#isPayable(coin)) count += 1;
    }
    return count;
  }

  /** Upper bound of the amounts of an address. */
  largest(minor: number): bigint {
    return this.#source.largest(minor);
  }

  /** Largest outputs of all addresses, of at least `least`, the largest first; `most` of them. */
  largestCoins(least: bigint, most: number): readonly C[] {
    let largest: readonly C[] = [];
    for (const { minor, total } of this.funds(least).addresses.slice(0, MOST_ADDRESSES)) {
      const bound = largest.length < most ? 0n : (largest.at(-1)?.amount ?? 0n);
      // Later addresses hold no more than this one.
      if (total <= bound) break;
      const own = this.#source.bySizeDown(minor, least, most).filter((coin) => this.#isPayable(coin));
      largest = [...largest, ...own].sort((a, b) => descending(a.amount, b.amount)).slice(0, most);
    }
    return largest;
  }

  /** Outputs of an address of at least `least`, by age. */
  coins(minor: number, least: bigint): C[] {
    return this.#source.at(minor, least).filter((coin) => this.#isPayable(coin));
  }

  /** {@link coins}, read lazily. */
  *eachCoin(minor: number, least: bigint): Iterable<C> {
    for (const coin of this.#source.each(minor, least)) if (this.#isPayable(coin)) yield coin;
  }

  /**
   * A uniformly random one of {@link coins}; undefined when the draw hits an output of the address that is not among
   * them.
   */
  draw(minor: number, least: bigint, rng: Rng): C | undefined {
    const { count } = this.#sumsByAddress().get(minor) ?? { count: 0 };
    const coin = count === 0 ? undefined : this.#source.nth(minor, uniformInt(count, rng));
    return coin !== undefined && coin.amount >= least && this.#isPayable(coin) ? coin : undefined;
  }

  #sumsByAddress(): ReadonlyMap<number, AddressFunds> {
    return (this.#sums ??= new Map(this.#source.sums().map((funds) => [funds.minor, funds])));
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
