import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import {
  addressesOf,
  type AddressBalance as OutputSum,
  type AddressRange,
} from '../../store/tables/balances.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { pagesOf, type Paged } from '../../util/paged.js';
import { PagedReader, type NextPart, type PagedReaderContext } from '../context/paged-reader.js';
import { BalanceTally, emptyRow, type AddressBalance, type Adjusted, type Balance } from './balance-tally.js';

/** Number of addresses read between two yields to the event loop. */
const ROWS_AT_ONCE = 128;

interface Parts {
  /** Account of the listed addresses; absent: every account. */
  readonly account: number | undefined;
  readonly strict: boolean;
  /**
   * Minor indices of the listed addresses, in this order; absent: addresses with outputs or unconfirmed amounts, by
   * index.
   */
  readonly minors: readonly number[] | undefined;
  readonly sums: Omit<Balance, 'addresses'>;
  /** Adds imported, locked and unconfirmed amounts to a tally. */
  readonly adjust: (tally: Adjusted, r: WalletReader) => void;
}

/** Reads the rows after a place in the list. */
type NextRows<Place> = NextPart<readonly AddressBalance[], Place>;

/** Balance with many addresses, whose rows are read page by page. */
export class PagedBalance {
  readonly #context: PagedReaderContext;
  readonly #parts: Parts;

  constructor(context: PagedReaderContext, parts: Parts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Sums over all addresses, including addresses that are not listed. */
  get sums(): Omit<Balance, 'addresses'> {
    return this.#parts.sums;
  }

  /**
   * Reads the rows in pages, and yields to the event loop between pages. All pages show the store at this call, except
   * for a store in memory. The pages throw WalletError `no_wallet` if the wallet is closed meanwhile.
   * @param skipped number of pages to leave out at the beginning.
   */
  rows(skipped = 0): Paged<readonly AddressBalance[]> {
    const reading = new PagedReader(this.#context);
    const adjusted = reading.read((r) => this.#adjusted(r));
    const pages = this.#pages(reading, adjusted, skipped * ROWS_AT_ONCE);
    return { pages, release: () => reading.release() };
  }

  /**
   * Returns the complete rows of addresses with imported, locked or unconfirmed amounts, in the order of their indices.
   */
  #adjusted(r: WalletReader): Map<string, AddressBalance> {
    const { adjust, strict } = this.#parts;
    const indices = new Map<string, SubaddressIndex>();
    const note = (index: SubaddressIndex): void => void indices.set(keyOf(index), index);
    adjust({ add: ({ subaddress }) => note(subaddress), lock: note, addUnconfirmed: note }, r);
    const tally = new BalanceTally((index) => indices.has(keyOf(index)));
    for (const index of indices.values()) {
      const found = r.balances.ofAddress(index, strict);
      if (found !== undefined) tally.add(found);
    }
    adjust(tally, r);
    return new Map(tally.balance().addresses.map((row) => [keyOf(indexOf(row)), row]));
  }

  #pages(
    reading: PagedReader,
    adjusted: ReadonlyMap<string, AddressBalance>,
    start: number,
  ): AsyncIterable<readonly AddressBalance[]> {
    const { account, minors, strict } = this.#parts;
    if (minors !== undefined)
      return start < minors.length
        ? reading.pages(start, this.#selected(minors, adjusted))
        : pagesOf([], ROWS_AT_ONCE);
    const all = addressesOf(account);
    const rest = start === 0 ? all : reading.read((r) => r.balances.divide(all, strict, start))?.rest;
    return rest === undefined ? pagesOf([], ROWS_AT_ONCE) : reading.pages(rest, this.#ranges(adjusted));
  }

  /** Reads rows by index, and merges those of adjusted addresses into their pages. */
  #ranges(adjusted: ReadonlyMap<string, AddressBalance>): NextRows<AddressRange> {
    const { strict } = this.#parts;
    const waiting = [...adjusted.values()];
    const takeBefore = (index: SubaddressIndex | undefined): AddressBalance[] => {
      const end = index === undefined ? -1 : waiting.findIndex((row) => !isBefore(row, index));
      return waiting.splice(0, end < 0 ? waiting.length : end);
    };
    return (r, range) => {
      // Those of pages that were skipped.
      takeBefore(range.from);
      const division = r.balances.divide(range, strict, ROWS_AT_ONCE);
      const plain = r.balances
        .between(division?.page ?? range, strict)
        .filter(({ subaddress }) => !adjusted.has(keyOf(subaddress)))
        .map(rowOf);
      return {
        page: [...plain, ...takeBefore(division?.rest.from)].sort(byIndex),
        rest: division?.rest,
      };
    };
  }

  /** Reads the rows of given addresses, in their order. */
  #selected(minors: readonly number[], adjusted: ReadonlyMap<string, AddressBalance>): NextRows<number> {
    const { account = 0, strict } = this.#parts;
    return (r, start) => {
      const end = start + ROWS_AT_ONCE;
      const page = minors.slice(start, end).map((minor) => {
        const index = { major: account, minor };
        const found = r.balances.ofAddress(index, strict);
        return adjusted.get(keyOf(index)) ?? (found === undefined ? emptyRow(account, minor) : rowOf(found));
      });
      return { page, rest: end < minors.length ? end : undefined };
    };
  }
}

const keyOf = ({ major, minor }: SubaddressIndex): string => `${major}/${minor}`;

const indexOf = ({ account, minor }: AddressBalance): SubaddressIndex => ({ major: account, minor });

const rowOf = ({ subaddress: { major, minor }, total, unspentCount }: OutputSum): AddressBalance => ({
  ...emptyRow(major, minor),
  ...{ total, unlocked: total, unspentOutputs: unspentCount },
});

const byIndex = (a: AddressBalance, b: AddressBalance): number => a.account - b.account || a.minor - b.minor;

const isBefore = ({ account, minor }: AddressBalance, end: SubaddressIndex): boolean =>
  account < end.major || (account === end.major && minor < end.minor);
