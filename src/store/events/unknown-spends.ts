import { equalBytes } from '../../util/bytes.js';
import type { ReversalReason, SpentOutputFacts } from '../../model/events.js';
import { toAmount, toBytes, toColumn, toNumber, type Integer } from '../tables/columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import type { EventWriter } from '../tables/events.js';

interface OutputRef {
  readonly tx_hash: Uint8Array;
  readonly output_index: number;
}

interface SpendRow {
  readonly tx_hash: Uint8Array;
  readonly key_image: Uint8Array;
  readonly account: Integer;
  readonly minor: Integer;
  readonly amount: Integer;
}

interface ReportedRow extends SpendRow {
  readonly event: Integer;
}

const toFacts = (row: SpendRow): SpentOutputFacts => ({
  txHash: toBytes<'Hash'>(row.tx_hash),
  keyImage: toBytes<'KeyImage'>(row.key_image),
  subaddress: { major: toNumber(row.account), minor: toNumber(row.minor) },
  amount: toAmount(row.amount),
});

/**
 * Reports outputs of the wallet that are spent by transactions which the wallet has not seen, and the end of such
 * spends. Triggers of the table `owned_output` record which outputs have changed.
 */
export class UnknownSpends {
  readonly #db: SqlDatabase;
  readonly #rows: EventWriter;

  constructor({ db, rows }: { readonly db: SqlDatabase; readonly rows: EventWriter }) {
    this.#db = db;
    this.#rows = rows;
  }

  /** True if all changes are reported. */
  get isEmpty(): boolean {
    return this.#db.row('SELECT 1 FROM changed_spend LIMIT 1') === undefined;
  }

  /**
   * Reports the changes. Must not be called while a rescan runs, which finds all outputs and spends again.
   * @param isRescan true if a rescan has just ended.
   */
  settle({ isRescan }: { readonly isRescan: boolean }): void {
    if (this.isEmpty) return;
    const changed = this.#db.rows<OutputRef>('SELECT tx_hash, output_index FROM changed_spend');
    this.#db.run('DELETE FROM changed_spend');
    for (const ref of changed) this.#report(ref, isRescan);
  }

  #report({ tx_hash: txHash, output_index: index }: OutputRef, isRescan: boolean): void {
    const before = this.#db.bigints.row<ReportedRow>(
      `DELETE FROM reported_spend WHERE tx_hash = ? AND output_index = ?
         RETURNING tx_hash, key_image, account, minor, amount, event`,
      txHash,
      index,
    );
    const now = this.#db.bigints.row<SpendRow>(
      `SELECT tx_hash, key_image, account, minor, amount FROM owned_output
         WHERE tx_hash = ? AND output_index = ? AND spent_by = zeroblob(32) AND burnt = 0`,
      txHash,
      index,
    );
    const facts = now && toFacts(now);
    const reported = before && toFacts(before);
    const isSame =
      facts !== undefined &&
      reported !== undefined &&
      facts.amount === reported.amount &&
      equalBytes(facts.keyImage, reported.keyImage);
    let event = before === undefined ? 0 : toNumber(before.event);
    if (reported !== undefined && !isSame)
      this.#rows.append({
        type: 'output.unspent',
        data: { ...reported, reverses: event, reason: this.#reasonFor(txHash, index, isRescan) },
      });
    if (facts === undefined) return;
    if (!isSame) event = this.#rows.append({ type: 'output.spent', data: facts });
    const { keyImage, subaddress, amount } = facts;
    this.#db.run(
      `INSERT INTO reported_spend (tx_hash, output_index, key_image, account, minor, amount, event)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      txHash,
      index,
      keyImage,
      subaddress.major,
      subaddress.minor,
      toColumn(amount),
      event,
    );
  }

  #reasonFor(txHash: Uint8Array, index: number, isRescan: boolean): ReversalReason {
    if (isRescan) return 'rescan';
    const output = this.#db.row(
      'SELECT 1 FROM owned_output WHERE tx_hash = ? AND output_index = ?',
      txHash,
      index,
    );
    return output === undefined ? 'reorganised' : 'corrected';
  }
}
