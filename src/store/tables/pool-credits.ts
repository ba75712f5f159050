import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { creditOf, type EffectiveOutput } from '../../monero/wallet/scan/reused-keys.js';
import { amount, ZERO, type Amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { toAmount, toFlag, type Integer, keyEquals } from './columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';

interface OutputRow {
  readonly tx_hash: Uint8Array;
  readonly public_key: Uint8Array | null;
  readonly amount: Integer;
  /** Credited amount of the whole payment in its last event. */
  readonly reported: Integer;
  /** True if its transaction is in the mempool. */
  readonly listed: Integer;
  readonly mined_amount: Integer | null;
  readonly mined_spent: Integer;
}

/**
 * Credited amounts of unmined payments to one address. Of several outputs with one key, mined or not, only one can be
 * spent: together they count as much as the largest one. A payment whose transaction is not in the mempool, because a rescan
 * has not read that yet or because it lacks the transaction, counts no more than its event has reported.
 */
export class PoolCredits {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Returns the credited amounts of the unmined transactions that pay an address, by their hash [hex]. */
  of({ major, minor }: SubaddressIndex): ReadonlyMap<string, Amount> {
    const credits = new Map<string, Amount>();
    const effective = new Map<string, EffectiveOutput>();
    const outputs = this.#db.bigints.rows<OutputRow>(
      `SELECT o.tx_hash, o.public_key, o.amount, s.amount AS reported,
         EXISTS (SELECT 1 FROM pool_tx p WHERE p.tx_hash = o.tx_hash) AS listed,
         m.amount AS mined_amount, m.spent_by IS NOT NULL AS mined_spent
       FROM seen_payment s JOIN seen_output o USING (tx_hash, account, minor)
       LEFT JOIN owned_output m ON ${keyEquals('m.public_key', 'o.public_key')} AND m.burnt = 0
       WHERE s.minor = ? AND s.account = ? ORDER BY s.event, o.output_index`,
      minor,
      major,
    );
    for (const row of outputs) {
      const value = toAmount(row.amount);
      const key = row.public_key === null ? undefined : toHex(row.public_key);
      const mined =
        row.mined_amount === null
          ? undefined
          : { amount: toAmount(row.mined_amount), spent: toFlag(row.mined_spent) };
      const credit = creditOf(value, key === undefined ? undefined : (effective.get(key) ?? mined));
      if (key !== undefined && credit > 0n) effective.set(key, { amount: value, spent: false });
      const name = toHex(row.tx_hash);
      const total = (credits.get(name) ?? ZERO) + credit;
      credits.set(name, amount(toFlag(row.listed) || total < row.reported ? total : row.reported));
    }
    return credits;
  }
}
