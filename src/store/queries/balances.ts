import type { Statement } from 'better-sqlite3';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import type { Amount } from '../../util/amount.js';
import { toAmount, type Integer } from '../sql/columns.js';
import type { Db } from '../file/database.js';

/** Sum of the outputs of one address. */
export interface AddressBalance {
  readonly subaddress: SubaddressIndex;
  readonly total: Amount;
  readonly unspentCount: number;
}

/** An output that may still be locked. */
export interface LockableAmount {
  readonly subaddress: SubaddressIndex;
  readonly amount: Amount;
  readonly height: number;
  readonly unlockTime: bigint;
}

export interface BalanceScope {
  /** Absent: every account. */
  readonly account?: number;
  /** Counts outputs that unconfirmed payments spend as unspent. */
  readonly strict: boolean;
}

/** Rows are arrays with numbers where possible: during a refresh thousands of rows are read for every balance. */
type SumRow = readonly [account: number, minor: number, total: Integer, unspent: number];
type LockRow = readonly [account: number, minor: number, amount: Integer, height: number, unlockTime: string];

/** Reads an integer that a double can hold as a number. */
const small = (column: string): string => `CAST(${column} AS REAL)`;

interface LockQuery {
  readonly account: number | null;
  readonly since: number;
}

/** Reads balances in a time that does not depend on the number of outputs. */
export class BalanceReader {
  readonly #sums: Record<'free' | 'mined', Statement<[number | null], SumRow>>;
  readonly #used: Statement<[number], number>;
  readonly #isUsed: Statement<[number, number], number>;
  readonly #locked: Record<'free' | 'mined', Statement<[LockQuery], LockRow>>;

  constructor(db: Db) {
    const sums = (kind: 'free' | 'mined'): Statement<[number | null], SumRow> =>
      db
        .prepare<[number | null], SumRow>(
          `SELECT ${small('account')}, ${small('minor')}, ${kind}_total, ${small('unspent')} FROM address_sum
           WHERE ${kind}_count > 0 AND account = coalesce(?, account)`,
        )
        .safeIntegers()
        .raw();
    const locked = (unspent: string): Statement<[LockQuery], LockRow> => {
      const rows = (condition: string): string =>
        `SELECT ${small('account')}, ${small('minor')}, amount, ${small('height')}, unlock_time FROM owned_output
         WHERE ${condition} AND ${unspent} AND burnt = 0 AND frozen = 0 AND account = coalesce(:account, account)`;
      return db
        .prepare<[LockQuery], LockRow>(
          `${rows('height >= :since')} UNION ALL
           ${rows("height < :since AND unlock_time <> '0' AND NOT coinbase AND spent_height IS NULL")}`,
        )
        .safeIntegers()
        .raw();
    };
    this.#used = db
      .prepare<[number], number>('SELECT minor FROM address_sum WHERE account = ? AND received > 0')
      .pluck();
    this.#isUsed = db
      .prepare<[number, number], number>(
        'SELECT 1 FROM address_sum WHERE account = ? AND minor = ? AND received > 0',
      )
      .pluck();
    this.#sums = { free: sums('free'), mined: sums('mined') };
    this.#locked = { free: locked('spent_by IS NULL'), mined: locked('spent_height IS NULL') };
  }

  /**
   * Sums the outputs of each address. `unspentCount` includes frozen outputs, which are not summed, and excludes
   * outputs of unconfirmed payments even if `strict` is set. An address with frozen outputs only is left out.
   */
  ofAddresses({ account, strict }: BalanceScope): AddressBalance[] {
    return this.#sums[strict ? 'mined' : 'free']
      .all(account ?? null)
      .map(([major, minor, total, unspentCount]) => ({
        subaddress: { major, minor },
        total: toAmount(total),
        unspentCount,
      }));
  }

  /** Addresses of an account that have received outputs. */
  usedAddresses(account: number): number[] {
    return this.#used.all(account);
  }

  /** True if an address has received outputs. */
  isUsed({ major, minor }: SubaddressIndex): boolean {
    return this.#isUsed.get(major, minor) !== undefined;
  }

  /** Unspent outputs that may still be locked: recent ones, and those with an unlock time. */
  maybeLocked({
    account,
    strict,
    sinceHeight,
  }: BalanceScope & { readonly sinceHeight: number }): LockableAmount[] {
    return this.#locked[strict ? 'mined' : 'free']
      .all({ account: account ?? null, since: sinceHeight })
      .map(([major, minor, value, height, unlockTime]) => ({
        subaddress: { major, minor },
        amount: toAmount(value),
        height,
        unlockTime: BigInt(unlockTime),
      }));
  }
}
