import type { Statement } from '../../util/sql-database.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { amount, ZERO, type Amount } from '../../util/amount.js';
import type { LockableHeights } from '../../monero/cryptonote/unlock-time.js';
import { small, toAmount, type Integer } from '../sql/columns.js';
import type { Division } from '../sql/height-pages.js';
import { MAYBE_LOCKED } from '../sql/unlocked-column.js';
import type { Db } from '../file/database.js';

/** Balance of one address. */
export interface AddressBalance {
  readonly subaddress: SubaddressIndex;
  readonly total: Amount;
  readonly unspentCount: number;
}

/** Balance of one account. */
export interface AccountTotal {
  readonly account: number;
  readonly total: Amount;
}

/** Amount and lock of an output that may still be locked. */
export interface LockableAmount {
  readonly subaddress: SubaddressIndex;
  readonly amount: Amount;
  readonly height: number;
  readonly unlockTime: bigint;
}

/** Accounts whose balances are read, and how. */
export interface BalanceScope {
  /** Index of the account; absent: every account. */
  readonly account?: number;
  /** True: outputs that unconfirmed payments spend count as unspent. */
  readonly strict: boolean;
}

/** Range of addresses, from the first one to the one before `to`. */
export interface AddressRange {
  readonly from: SubaddressIndex;
  readonly to: SubaddressIndex;
}

/** Returns the range of all addresses of an account; of all accounts for undefined. */
export const addressesOf = (account: number | undefined): AddressRange => ({
  from: { major: account ?? 0, minor: 0 },
  to: { major: account === undefined ? 2 ** 32 : account + 1, minor: 0 },
});

/** Rows are arrays, with numbers where possible: during a refresh thousands of rows are read for each balance. */
type SumRow = readonly [account: number, minor: number, total: Integer, unspent: number];
/** Total of an account as high · 2^32 + low. */
type AccountRow = readonly [account: number, high: Integer, low: Integer];
type LockRow = readonly [account: number, minor: number, amount: Integer, height: number, unlockTime: string];

/** First and last account, both inclusive. A range lets one query use the index both for one account and for all. */
type AccountRange = [first: number, last: number];

export const rangeOf = (account?: number): AccountRange => [account ?? 0, account ?? 0xffffffff];

type RangeQuery = [fromMajor: number, fromMinor: number, toMajor: number, toMinor: number];
type PlaceRow = readonly [account: number, minor: number];

const rangeQuery = ({ from, to }: AddressRange): RangeQuery => [from.major, from.minor, to.major, to.minor];

/** SQL condition of a {@link RangeQuery}; the primary key finds the rows. */
const IN_RANGE = '(account, minor) >= (?, ?) AND (account, minor) < (?, ?)';

interface LockQuery extends LockableHeights {
  readonly account: number | null;
}

/** Reads balances from stored sums, in a time that does not depend on the number of outputs. */
export class BalanceReader {
  readonly #sums: Record<'free' | 'mined', Statement<AccountRange, SumRow>>;
  readonly #between: Record<'free' | 'mined', Statement<RangeQuery, SumRow>>;
  readonly #nth: Record<'free' | 'mined', Statement<[...RangeQuery, skip: number], PlaceRow>>;
  readonly #count: Record<'free' | 'mined', Statement<[...RangeQuery, limit: number], number>>;
  readonly #ofAccounts: Record<'free' | 'mined', Statement<AccountRange, AccountRow>>;
  readonly #ofAddress: Record<'free' | 'mined', Statement<[number, number], SumRow>>;
  readonly #usedAmong: Statement<[number, string], number>;
  readonly #usedBetween: Statement<[number, number, number], number>;
  readonly #locked: Record<'free' | 'mined', Statement<[LockQuery], LockRow>>;

  constructor(db: Db) {
    const sums = <P extends unknown[]>(kind: 'free' | 'mined', condition: string): Statement<P, SumRow> =>
      db
        .prepare<P, SumRow>(
          `SELECT ${small('account')}, ${small('minor')}, ${kind}_total, ${small('unspent')} FROM address_sum
           WHERE ${kind}_count > 0 AND ${condition}`,
        )
        .safeIntegers()
        .raw();
    const locked = (unspent: string): Statement<[LockQuery], LockRow> => {
      const rows = (condition: string): string =>
        `SELECT ${small('account')}, ${small('minor')}, amount, ${small('height')}, unlock_time FROM owned_output
         WHERE ${condition} AND ${unspent} AND burnt = 0 AND frozen = 0 AND account = coalesce(:account, account)`;
      return db
        .prepare<[LockQuery], LockRow>(`${rows(MAYBE_LOCKED.recent)} UNION ALL ${rows(MAYBE_LOCKED.older)}`)
        .safeIntegers()
        .raw();
    };
    this.#usedAmong = db
      .prepare<[number, string], number>(
        `SELECT minor FROM address_sum
         WHERE account = ? AND minor IN (SELECT value FROM json_each(?)) AND received > 0`,
      )
      .pluck();
    this.#usedBetween = db
      .prepare<[number, number, number], number>(
        'SELECT minor FROM address_sum WHERE account = ? AND minor BETWEEN ? AND ? AND received > 0',
      )
      .pluck();
    const each = <S>(make: (kind: 'free' | 'mined') => S): Record<'free' | 'mined', S> => ({
      free: make('free'),
      mined: make('mined'),
    });
    this.#sums = each((kind) => sums(kind, 'account BETWEEN ? AND ?'));
    this.#ofAddress = each((kind) => sums(kind, 'account = ? AND minor = ?'));
    this.#between = each((kind) => sums(kind, `${IN_RANGE} ORDER BY account, minor`));
    this.#nth = each((kind) =>
      db
        .prepare<[...RangeQuery, number], PlaceRow>(
          `SELECT account, minor FROM address_sum WHERE ${kind}_count > 0 AND ${IN_RANGE}
           ORDER BY account, minor LIMIT 1 OFFSET ?`,
        )
        .raw(),
    );
    this.#count = each((kind) =>
      db
        .prepare<[...RangeQuery, number], number>(
          `SELECT count(*) FROM
             (SELECT 1 FROM address_sum WHERE ${kind}_count > 0 AND ${IN_RANGE} LIMIT ?)`,
        )
        .pluck(),
    );
    this.#ofAccounts = each((kind) =>
      db
        .prepare<AccountRange, AccountRow>(
          `SELECT ${small('account')}, ${kind}_high, ${kind}_low FROM account_sum WHERE account BETWEEN ? AND ?`,
        )
        .safeIntegers()
        .raw(),
    );
    this.#locked = { free: locked('spent_by IS NULL'), mined: locked('spent_height IS NULL') };
  }

  /**
   * Returns the balance of each address. `unspentCount` includes frozen outputs, whose amounts are not summed, and
   * excludes outputs of unconfirmed payments even if `strict` is set. Addresses that have only frozen outputs are left
   * out.
   */
  ofAddresses({ account, strict }: BalanceScope): AddressBalance[] {
    return this.#sums[kindOf(strict)].all(...rangeOf(account)).map(toBalance);
  }

  /** Returns the same as {@link ofAddresses} for a range of addresses, in their order. */
  between(range: AddressRange, strict: boolean): AddressBalance[] {
    return this.#between[kindOf(strict)].all(...rangeQuery(range)).map(toBalance);
  }

  /** Divides a range after the first `rows` rows of {@link between}; undefined if it has no more rows. */
  divide(range: AddressRange, strict: boolean, rows: number): Division<AddressRange> | undefined {
    const next = this.#nth[kindOf(strict)].get(...rangeQuery(range), rows);
    if (next === undefined) return undefined;
    const [major, minor] = next;
    const end = { major, minor };
    return { page: { ...range, to: end }, rest: { ...range, from: end } };
  }

  /** Counts the rows of {@link between}, but stops at a limit. */
  countUpTo(limit: number, range: AddressRange, strict: boolean): number {
    return this.#count[kindOf(strict)].get(...rangeQuery(range), limit) ?? 0;
  }

  /** Returns the same as {@link ofAddresses} for one address; undefined if it is left out. */
  ofAddress({ major, minor }: SubaddressIndex, strict: boolean): AddressBalance | undefined {
    const row = this.#ofAddress[kindOf(strict)].get(major, minor);
    return row && toBalance(row);
  }

  /** Returns the balance of each account, without reading a row for each address. */
  ofAccounts({ account, strict }: BalanceScope): AccountTotal[] {
    return this.#ofAccounts[kindOf(strict)]
      .all(...rangeOf(account))
      .map(([major, high, low]) => ({ account: major, total: amount((high << 32n) + low) }));
  }

  /** Returns the balance of one account [atomic units]. */
  ofAccount(account: number, strict: boolean): Amount {
    return this.ofAccounts({ account, strict })[0]?.total ?? ZERO;
  }

  /** Returns the given addresses of an account that have received an output, by minor index. */
  usedAmong(account: number, minors: readonly number[]): number[] {
    return this.#usedAmong.all(account, JSON.stringify(minors));
  }

  /**
   * Returns the addresses of an account from `first` to `last`, both inclusive, that have received an output, by minor
   * index.
   */
  usedBetween(account: number, first: number, last: number): number[] {
    return this.#usedBetween.all(account, first, last);
  }

  /** Returns unspent outputs that may still be locked: young ones, and those with an unlock time. */
  maybeLocked({ account, strict, ...heights }: BalanceScope & LockableHeights): LockableAmount[] {
    return this.#locked[kindOf(strict)]
      .all({ account: account ?? null, ...heights })
      .map(([major, minor, value, height, unlockTime]) => ({
        subaddress: { major, minor },
        amount: toAmount(value),
        height,
        unlockTime: BigInt(unlockTime),
      }));
  }
}

/**
 * Returns the prefix of the sum columns: `free` for outputs that no transaction spends, `mined` for outputs that no
 * mined transaction spends.
 */
const kindOf = (strict: boolean): 'free' | 'mined' => (strict ? 'mined' : 'free');

const toBalance = ([major, minor, total, unspentCount]: SumRow): AddressBalance => ({
  subaddress: { major, minor },
  total: toAmount(total),
  unspentCount,
});
