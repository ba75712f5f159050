import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { LockableHeights } from '../../monero/cryptonote/unlock-time.js';
import type { OwnedOutput } from '../../monero/wallet/scan/findings.js';
import { amount, type Amount, ZERO } from '../../util/amount.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { type Integer, MAYBE_LOCKED, small, toAmount, toColumn } from './columns.js';
import type { Division } from './pages.js';

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

/** Accounts whose balances are read, and the rule for outputs that unconfirmed payments spend. */
export interface BalanceScope {
  /** Index of the account; absent: every account. */
  readonly account?: number;
  /** True: outputs that unconfirmed payments spend count as unspent. */
  readonly strict: boolean;
}

/** Range of addresses, from the address `from` to the address before `to`. */
export interface AddressRange {
  readonly from: SubaddressIndex;
  readonly to: SubaddressIndex;
}

/** Returns the range of all addresses of an account, or of all accounts for undefined. */
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

const rangeQuery = ({ from, to }: AddressRange): RangeQuery => [from.major, from.minor, to.major, to.minor];

/** SQL condition of a {@link RangeQuery}; the primary key finds the rows. */
const IN_RANGE = '(account, minor) >= (?, ?) AND (account, minor) < (?, ?)';

/** Reads balances from stored sums, in a time that does not depend on the number of outputs. */
export class BalanceReader {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /**
   * Returns the balance of each address. `unspentCount` includes frozen outputs, whose amounts are not summed, and
   * excludes outputs of unconfirmed payments even if `strict` is set. Addresses that have only frozen outputs are left
   * out.
   */
  ofAddresses({ account, strict }: BalanceScope): AddressBalance[] {
    return this.#sums(strict, 'account BETWEEN ? AND ?', ...rangeOf(account));
  }

  /** Returns the balances as {@link ofAddresses} for a range of addresses, in their order. */
  between(range: AddressRange, strict: boolean): AddressBalance[] {
    return this.#sums(strict, `${IN_RANGE} ORDER BY account, minor`, ...rangeQuery(range));
  }

  /** Divides a range after the first `rows` rows of {@link between}; undefined if the range has no more rows. */
  divide(range: AddressRange, strict: boolean, rows: number): Division<AddressRange> | undefined {
    const end = this.#db.row<SubaddressIndex>(
      `SELECT account AS major, minor FROM address_sum WHERE ${kindOf(strict)}_count > 0 AND ${IN_RANGE}
       ORDER BY account, minor LIMIT 1 OFFSET ?`,
      ...rangeQuery(range),
      rows,
    );
    return end && { page: { ...range, to: end }, rest: { ...range, from: end } };
  }

  /** Counts the rows of {@link between}, but stops at a limit. */
  countUpTo(limit: number, range: AddressRange, strict: boolean): number {
    const count = this.#db.value<number>(
      `SELECT count(*) FROM
         (SELECT 1 FROM address_sum WHERE ${kindOf(strict)}_count > 0 AND ${IN_RANGE} LIMIT ?)`,
      ...rangeQuery(range),
      limit,
    );
    return count ?? 0;
  }

  /** Returns the balance as {@link ofAddresses} for one address; undefined if the address is left out. */
  ofAddress({ major, minor }: SubaddressIndex, strict: boolean): AddressBalance | undefined {
    return this.#sums(strict, 'account = ? AND minor = ?', major, minor)[0];
  }

  /** Returns the balances of the addresses that meet an SQL condition. */
  #sums(strict: boolean, condition: string, ...params: readonly number[]): AddressBalance[] {
    const kind = kindOf(strict);
    return this.#db.bigintArrays
      .rows<SumRow>(
        `SELECT ${small('account')}, ${small('minor')}, ${kind}_total, ${small('unspent')} FROM address_sum
         WHERE ${kind}_count > 0 AND ${condition}`,
        ...params,
      )
      .map(toBalance);
  }

  /** Returns the balance of each account, without reading a row for each address. */
  ofAccounts({ account, strict }: BalanceScope): AccountTotal[] {
    const kind = kindOf(strict);
    return this.#db.bigintArrays
      .rows<AccountRow>(
        `SELECT ${small('account')}, ${kind}_high, ${kind}_low FROM account_sum WHERE account BETWEEN ? AND ?`,
        ...rangeOf(account),
      )
      .map(([major, high, low]) => ({ account: major, total: amount((high << 32n) + low) }));
  }

  /** Returns the balance of one account [atomic units]. */
  ofAccount(account: number, strict: boolean): Amount {
    return this.ofAccounts({ account, strict })[0]?.total ?? ZERO;
  }

  /** Returns the given addresses of an account that have received an output, by minor index. */
  usedAmong(account: number, minors: readonly number[]): number[] {
    return this.#db.values<number>(
      `SELECT minor FROM address_sum
       WHERE account = ? AND minor IN (SELECT value FROM json_each(?)) AND received > 0`,
      account,
      JSON.stringify(minors),
    );
  }

  /**
   * Returns the addresses of an account from `first` to `last`, both inclusive, that have received an output, by minor
   * index.
   */
  usedBetween(account: number, first: number, last: number): number[] {
    return this.#db.values<number>(
      'SELECT minor FROM address_sum WHERE account = ? AND minor BETWEEN ? AND ? AND received > 0',
      account,
      first,
      last,
    );
  }

  /** Returns unspent outputs that may still be locked: young outputs, and outputs with an unlock time. */
  maybeLocked({ account, strict, ...heights }: BalanceScope & LockableHeights): LockableAmount[] {
    const unspent = strict ? 'spent_height IS NULL' : 'spent_by IS NULL';
    const rows = (condition: string): string =>
      `SELECT ${small('account')}, ${small('minor')}, amount, ${small('height')}, unlock_time FROM owned_output
       WHERE ${condition} AND ${unspent} AND burnt = 0 AND frozen = 0 AND account = coalesce(:account, account)`;
    return this.#db.bigintArrays
      .rows<LockRow>(`${rows(MAYBE_LOCKED.recent)} UNION ALL ${rows(MAYBE_LOCKED.older)}`, {
        account: account ?? null,
        ...heights,
      })
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

/** Number and total of the outputs that one address has received. */
interface Receipts {
  readonly account: number;
  readonly minor: number;
  count: number;
  total: Amount;
}

/**
 * Adds new outputs to the sums of their addresses and accounts. Triggers of the table apply later changes and the
 * removal of outputs.
 */
export class OutputSums {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Adds outputs that were just inserted. @param outputs unspent outputs that are neither frozen nor burnt. */
  add(outputs: readonly OwnedOutput[]): void {
    const byAddress = new Map<string, Receipts>();
    const byAccount = new Map<number, Amount>();
    for (const { subaddress, amount: value } of outputs) {
      const { major: account, minor } = subaddress;
      const key = `${account} ${minor}`;
      const known = byAddress.get(key);
      if (known === undefined) byAddress.set(key, { account, minor, count: 1, total: value });
      else {
        known.count += 1;
        known.total = amount(known.total + value);
      }
      byAccount.set(account, amount((byAccount.get(account) ?? 0n) + value));
    }
    for (const { account, minor, count, total } of byAddress.values()) {
      const sum = toColumn(total);
      this.#db.run(
        `INSERT INTO address_sum (account, minor, received, unspent, free_count, mined_count, free_total, mined_total)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET
         received = received + excluded.received, unspent = unspent + excluded.unspent,
         free_count = free_count + excluded.free_count, free_total = free_total + excluded.free_total,
         mined_count = mined_count + excluded.mined_count, mined_total = mined_total + excluded.mined_total`,
        account,
        minor,
        count,
        count,
        count,
        count,
        sum,
        sum,
      );
    }
    for (const [account, total] of byAccount) {
      const high = total >> 32n;
      const low = total & 0xffffffffn;
      this.#db.run(
        `INSERT INTO account_sum (account, free_high, free_low, mined_high, mined_low)
       VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET
         free_high = free_high + excluded.free_high, free_low = free_low + excluded.free_low,
         mined_high = mined_high + excluded.mined_high, mined_low = mined_low + excluded.mined_low`,
        account,
        high,
        low,
        high,
        low,
      );
    }
  }
}
