import type { Statement } from 'better-sqlite3';
import type { OwnedOutput } from '../../wallet/model/records.js';
import { amount, type Amount } from '../../util/amount.js';
import { toColumn } from '../sql/columns.js';
import type { Db } from '../file/database.js';

/** Number and total of the outputs that one address received. */
interface Receipts {
  readonly account: number;
  readonly minor: number;
  count: number;
  total: Amount;
}

/** Columns of the sums of an account: total = high · 2^32 + low. */
interface AccountColumns {
  readonly account: number;
  readonly high: bigint;
  readonly low: bigint;
}

/**
 * Adds new outputs to the sums of their addresses and accounts. Triggers apply later changes of outputs, and their
 * removal.
 */
export class OutputSums {
  readonly #addToAddress: Statement<[{ account: number; minor: number; count: number; total: bigint }]>;
  readonly #addToAccount: Statement<[AccountColumns]>;

  constructor(db: Db) {
    this.#addToAddress = db.prepare(
      `INSERT INTO address_sum (account, minor, received, unspent, free_count, free_total, mined_count, mined_total)
       VALUES (:account, :minor, :count, :count, :count, :total, :count, :total)
       ON CONFLICT DO UPDATE SET
         received = received + :count, unspent = unspent + :count,
         free_count = free_count + :count, free_total = free_total + :total,
         mined_count = mined_count + :count, mined_total = mined_total + :total`,
    );
    this.#addToAccount = db.prepare(
      `INSERT INTO account_sum (account, free_high, free_low, mined_high, mined_low)
       VALUES (:account, :high, :low, :high, :low)
       ON CONFLICT DO UPDATE SET
         free_high = free_high + :high, free_low = free_low + :low,
         mined_high = mined_high + :high, mined_low = mined_low + :low`,
    );
  }

  /** @param outputs rows that were just inserted: unspent, and neither frozen nor burnt. */
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
    for (const { account, minor, count, total } of byAddress.values())
      this.#addToAddress.run({ account, minor, count, total: toColumn(total) });
    for (const [account, total] of byAccount)
      this.#addToAccount.run({ account, high: total >> 32n, low: total & 0xffffffffn });
  }
}
