import type { OwnedOutput } from '../../monero/wallet/model/records.js';
import { amount, type Amount } from '../../util/amount.js';
import { toColumn } from '../sql/columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';

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
