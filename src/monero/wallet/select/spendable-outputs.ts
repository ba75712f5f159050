import { amount, descending, sum, type Amount } from '../../../util/amount.js';
import { uniformInt, type Rng } from '../../../util/random.js';
import type { OwnedOutput } from '../scan/findings.js';
import { isUnlocked } from '../../cryptonote/unlock-time.js';
import { equalBytes, toHex } from '../../../util/bytes.js';

/** Fields of an output that input selection needs. */
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
> & {
  /** Present for an output in the form of the fork, which no payment with rings can spend. */
  readonly carrot?: object;
};

/**
 * Largest number of addresses whose largest outputs are compared. The addresses with the highest sums are compared,
 * because a wallet may have a hundred thousand addresses.
 */
const MOST_ADDRESSES = 1000;

/** Number and sum of the outputs of one address. */
export interface AddressFunds {
  readonly minor: number;
  readonly count: number;
  readonly total: bigint;
}

/**
 * Unspent outputs of an account, or of some of its addresses, that are neither frozen nor burnt. "By age" is the order
 * of the chain: height, global index, transaction hash, index in the transaction.
 */
export interface SpendableOutputSource<C extends SpendableOutput = SpendableOutput> {
  /** Returns the number and the sum of the outputs of every address that has outputs. */
  sums(): readonly AddressFunds[];
  /**
   * Returns the outputs that are smaller than `least`, or that may not be spendable on the given terms: locked, held,
   * without a key image, from before RingCT, or in the form of the fork. Each output is returned once.
   */
  exceptions(terms: SpendableTerms, least: bigint): readonly C[];
  /** Returns the outputs of at least `least`, by age; read on demand. */
  byAge(least: bigint): Iterable<C>;
  /**
   * Returns the outputs of an address of at least `least`, smallest first, equal outputs by age; the outputs are read
   * on demand.
   */
  bySize(minor: number, least: bigint): Iterable<C>;
  /**
   * Returns the `most` largest outputs of an address of at least `least`, largest first, and of equal outputs the
   * youngest first.
   */
  bySizeDown(minor: number, least: bigint, most: number): readonly C[];
  /** Returns an upper bound of the amounts of an address [atomic units]. */
  largest(minor: number): bigint;
  /** Returns the outputs of an address of at least `least`, by age. */
  at(minor: number, least: bigint): readonly C[];
  /** Returns the outputs of {@link at}, read on demand; slower than {@link at} if all outputs are read. */
  each(minor: number, least: bigint): Iterable<C>;
  /**
   * Returns an output of an address by its index among the outputs that {@link sums} counts; their order is arbitrary
   * but fixed.
   */
  nth(minor: number, place: number): C | undefined;
}

/** Conditions under which outputs are to be spent. */
export interface SpendableTerms {
  /** Number of blocks of the chain. */
  readonly chainHeight: number;
  /** Present time [Unix s]. */
  readonly now: number;
  /** True: outputs without a key image may be spent, because another wallet signs. */
  readonly blind: boolean;
  /** Outputs that payments spend which are being signed; absent: none. */
  readonly held?: readonly OutputRef[];
}

/** Transaction hash and output index, which identify an output. */
export type OutputRef = Pick<SpendableOutput, 'txHash' | 'outputIndex'>;

/** Returns a text that identifies an output. */
export const nameOf = ({ txHash, outputIndex }: OutputRef): string => `${toHex(txHash)}/${outputIndex}`;

/** Sums of spendable outputs. */
export interface Funds {
  /** Sum of the outputs that can be spent now [atomic units]. */
  readonly available: Amount;
  /** Sum of the locked outputs [atomic units]. */
  readonly locked: Amount;
  /**
   * Number and sum of the outputs that can be spent now and are worth spending, by address, highest sum first, so that
   * a payment links few addresses.
   */
  readonly addresses: readonly AddressFunds[];
}

/** Spendable outputs of an account, read from the store's indexes on demand. */
export class SpendableOutputs<C extends SpendableOutput = SpendableOutput> {
  readonly #source: SpendableOutputSource<C>;
  readonly #terms: SpendableTerms;
  readonly #held: ReadonlySet<string>;
  readonly #funds = new Map<bigint, Funds>();
  #sums: ReadonlyMap<number, AddressFunds> | undefined;

  constructor(source: SpendableOutputSource<C>, terms: SpendableTerms) {
    this.#source = source;
    this.#terms = terms;
    this.#held = new Set(terms.held?.map(nameOf));
  }

  /**
   * Computes the funds from the stored sums, less the exceptions.
   * @param least smallest amount that is worth spending [atomic units].
   */
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
      if (coin.carrot === undefined && this.#isSignable(coin) && !this.#isUnlocked(coin))
        locked.push(coin.amount);
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

  /** Returns the oldest output of at least an amount. */
  oldest(least: bigint): C | undefined {
    for (const coin of this.#source.byAge(least)) if (this.#isPayable(coin)) return coin;
    return undefined;
  }

  /**
   * Returns the smallest output of an address that is unrelated to another output, and of equal outputs the oldest
   * output.
   */
  smallestUnrelated(minor: number, least: bigint, other: SpendableOutput): C | undefined {
    for (const coin of this.#source.bySize(minor, least))
      if (this.#isPayable(coin) && relatedness(coin, other) === 0) return coin;
    return undefined;
  }

  /** Returns the number of outputs of an address of at least an amount, counted only up to `enough`. */
  countFrom(minor: number, least: bigint, enough: number): number {
    let count = 0;
    for (const coin of this.#source.bySize(minor, least)) {
      if (count >= enough) break;
      if (this.#isPayable(coin)) count += 1;
    }
    return count;
  }

  /** Returns an upper bound of the amounts of an address [atomic units]. */
  largest(minor: number): bigint {
    return this.#source.largest(minor);
  }

  /** Returns the `most` largest outputs of all addresses of at least `least`, largest first. */
  largestCoins(least: bigint, most: number): readonly C[] {
    let largest: readonly C[] = [];
    for (const { minor, total } of this.funds(least).addresses.slice(0, MOST_ADDRESSES)) {
      const bound = largest.length < most ? 0n : (largest.at(-1)?.amount ?? 0n);
      // The addresses are ordered by their sums, so later addresses have no larger output.
      if (total <= bound) break;
      const own = this.#source.bySizeDown(minor, least, most).filter((coin) => this.#isPayable(coin));
      largest = [...largest, ...own].sort((a, b) => descending(a.amount, b.amount)).slice(0, most);
    }
    return largest;
  }

  /** Returns the outputs of an address of at least `least`, by age. */
  coins(minor: number, least: bigint): C[] {
    return this.#source.at(minor, least).filter((coin) => this.#isPayable(coin));
  }

  /** Yields the outputs of {@link coins}, read on demand. */
  *eachCoin(minor: number, least: bigint): Iterable<C> {
    for (const coin of this.#source.each(minor, least)) if (this.#isPayable(coin)) yield coin;
  }

  /**
   * Returns an output of {@link coins} at random, each with the same probability; undefined if the draw hits an output
   * of the address that {@link coins} does not return.
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
    const hasRing = coin.rct && coin.carrot === undefined;
    return hasRing && this.#isSignable(coin) && this.#isUnlocked(coin) && !this.#isHeld(coin);
  }

  #isHeld(coin: SpendableOutput): boolean {
    return this.#held.size > 0 && this.#held.has(nameOf(coin));
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

/** Transaction and height of an output. */
type RelatedOutput = Pick<OwnedOutput, 'txHash' | 'height'>;

/*
 * Measure of the relatedness of two outputs: outputs of one transaction or of nearby blocks that are spent together
 * reveal to an observer that they have one owner. Source: wallet2.cpp `get_output_relatedness`.
 */
export const SAME_TX = 1;
export const SAME_BLOCK = 0.9;
const NEXT_BLOCK = 0.8;
const NEAR = 0.2;
/** Distance from which two blocks count as unrelated [blocks]. */
export const NEAR_BLOCKS = 10;

/** Returns the relatedness of outputs of different transactions, in blocks at a distance. */
export function relatednessOfHeights(distance: number): number {
  if (distance === 0) return SAME_BLOCK;
  if (distance === 1) return NEXT_BLOCK;
  return distance < NEAR_BLOCKS ? NEAR : 0;
}

/**
 * Returns the relatedness of two outputs, from 0 (unrelated) to 1 (same transaction). Only the order of the values
 * matters.
 */
export const relatedness = (a: RelatedOutput, b: RelatedOutput): number =>
  equalBytes(a.txHash, b.txHash) ? SAME_TX : relatednessOfHeights(Math.abs(a.height - b.height));
