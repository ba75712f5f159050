import type { Statement } from 'better-sqlite3';
import type { Amount } from '../../util/amount.js';
import type { OwnedOutput } from '../../monero/wallet/model/records.js';
import type { Db } from '../file/database.js';
import { FREE, OUTPUT_COLUMNS, toOutput, UNSPENT, type OutputRow } from '../tables/output-row.js';

/** Output by its number in the table. */
interface Candidate {
  readonly number: bigint;
  readonly amount: bigint;
}

interface Statements {
  readonly smallest: Statement<[account: number, least: bigint], Candidate>;
  readonly largest: Statement<[account: number], Candidate>;
}

/** Reads outputs that prove a reserve: those without a mined spend, without burnt and frozen ones. */
export class ReserveReader {
  readonly #any: Statement<[], unknown>;
  readonly #anyReserved: Statement<[number], unknown>;
  readonly #ofAll: Statements;
  /** Outputs that no unmined payment spends either: an index holds them with their amounts. */
  readonly #ofFree: Statements;
  readonly #byNumber: Statement<[bigint], OutputRow>;

  constructor(db: Db) {
    this.#any = db.prepare('SELECT 1 FROM account_sum WHERE mined_high <> 0 OR mined_low <> 0 LIMIT 1');
    // Both sums are over the same outputs unless unmined payments spend some of them.
    this.#anyReserved = db.prepare<[number], unknown>(
      'SELECT 1 FROM account_sum WHERE account = ? AND (mined_high <> free_high OR mined_low <> free_low)',
    );
    const statements = (outputs: string): Statements => {
      const rows = <P extends unknown[]>(rest: string): Statement<P, Candidate> =>
        db
          .prepare<P, Candidate>(
            `SELECT rowid AS number, amount FROM owned_output ${outputs} AND account = ? ${rest}`,
          )
          .safeIntegers();
      return {
        smallest: rows('AND amount >= ? ORDER BY amount LIMIT 1'),
        largest: rows('ORDER BY amount DESC'),
      };
    };
    this.#ofAll = statements(`WHERE ${UNSPENT}`);
    this.#ofFree = statements(`INDEXED BY owned_output_by_age WHERE ${FREE}`);
    this.#byNumber = db
      .prepare<[bigint], OutputRow>(`SELECT ${OUTPUT_COLUMNS} FROM owned_output WHERE rowid = ?`)
      .safeIntegers();
  }

  /** Whether any account has such an output. */
  any(): boolean {
    return this.#any.get() !== undefined;
  }

  /**
   * Returns the fewest outputs of an account that reach an amount: the smallest sufficient one, otherwise the largest ones.
   * All outputs if they do not reach it together.
   */
  fewest(account: number, least: Amount): OwnedOutput[] {
    const { smallest, largest } = this.#anyReserved.get(account) === undefined ? this.#ofFree : this.#ofAll;
    const sufficient = smallest.get(account, least);
    if (sufficient !== undefined) return this.#rows([sufficient.number]);
    const numbers: bigint[] = [];
    let total = 0n;
    for (const { number, amount } of largest.iterate(account)) {
      numbers.push(number);
      total += amount;
      if (total >= least) break;
    }
    return this.#rows(numbers);
  }

  #rows(numbers: readonly bigint[]): OwnedOutput[] {
    return numbers.flatMap((number) => {
      const row = this.#byNumber.get(number);
      return row === undefined ? [] : [toOutput(row)];
    });
  }
}
