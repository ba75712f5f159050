import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import {
  addressesOf,
  type AddressBalance as OutputSum,
  type AddressRange,
} from '../../store/tables/balances.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import type { Paged } from '../../util/paged.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import type { WalletContext } from '../context/wallet-context.js';
import { BalanceTally, emptyRow, type AddressBalance, type Adjusted, type Balance } from './balance-tally.js';

type Context = Pick<WalletContext, 'assertOpen' | 'store'>;

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

type Read = <T>(task: (r: WalletReader) => T) => T;

/** Sums of a page of addresses, and the address range after the page; undefined at the end. */
interface Page {
  readonly found: readonly OutputSum[];
  readonly rest: AddressRange | undefined;
}

/** Balance with many addresses, whose rows are read page by page. */
export class PagedBalance {
  readonly #context: Context;
  readonly #parts: Parts;

  constructor(context: Context, parts: Parts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Sums over all addresses, whether listed or not. */
  get sums(): Omit<Balance, 'addresses'> {
    return this.#parts.sums;
  }

  /**
   * Reads the rows in pages, and yields to the event loop between them. All pages show the store at this call, except
   * for a store in memory. The pages throw WalletError `no_wallet` if the wallet is closed meanwhile.
   * @param skipped number of pages to leave out at the beginning.
   */
  rows(skipped = 0): Paged<readonly AddressBalance[]> {
    const { store, assertOpen } = this.#context;
    const { minors } = this.#parts;
    const adjusted = store.read((r) => this.#adjusted(r));
    const snapshot = store.isInMemory ? undefined : store.snapshot();
    const read: Read = (task) => (snapshot ?? store).read(task);
    const pages =
      minors === undefined
        ? this.#ranges(adjusted, read, skipped)
        : this.#selected(minors.slice(skipped * ROWS_AT_ONCE), adjusted, read);
    return { pages: yielding(pages, assertOpen), release: () => snapshot?.release() };
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

  *#ranges(
    adjusted: ReadonlyMap<string, AddressBalance>,
    read: Read,
    skipped: number,
  ): Generator<readonly AddressBalance[]> {
    const { account, strict } = this.#parts;
    let range: AddressRange | undefined = addressesOf(account);
    if (skipped > 0) {
      const all = range;
      range = read((r) => r.balances.divide(all, strict, skipped * ROWS_AT_ONCE))?.rest;
    }
    const from = range?.from;
    const waiting = [...adjusted.values()].filter((row) => from !== undefined && !isBefore(row, from));
    while (range !== undefined) {
      const current: AddressRange = range;
      const { found, rest }: Page = read((r) => {
        const division = r.balances.divide(current, strict, ROWS_AT_ONCE);
        return { found: r.balances.between(division?.page ?? current, strict), rest: division?.rest };
      });
      const plain = found.filter(({ subaddress }) => !adjusted.has(keyOf(subaddress))).map(rowOf);
      const end = rest === undefined ? waiting.length : waiting.findIndex((row) => !isBefore(row, rest.from));
      yield [...plain, ...waiting.splice(0, end < 0 ? waiting.length : end)].sort(byIndex);
      range = rest;
    }
  }

  *#selected(
    minors: readonly number[],
    adjusted: ReadonlyMap<string, AddressBalance>,
    read: Read,
  ): Generator<readonly AddressBalance[]> {
    const { account = 0, strict } = this.#parts;
    for (let start = 0; start < minors.length; start += ROWS_AT_ONCE)
      yield read((r) =>
        minors.slice(start, start + ROWS_AT_ONCE).map((minor) => {
          const index = { major: account, minor };
          const found = r.balances.ofAddress(index, strict);
          return (
            adjusted.get(keyOf(index)) ?? (found === undefined ? emptyRow(account, minor) : rowOf(found))
          );
        }),
      );
  }
}

/** Yields the pages, and returns to the event loop before the next page is read. */
async function* yielding<T>(pages: Iterable<T>, assertOpen: () => void): AsyncGenerator<T> {
  for (const page of pages) {
    yield page;
    await yieldToEventLoop();
    assertOpen();
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
