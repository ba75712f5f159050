import type { Statement } from '../../util/sql-database.js';
import type { Amount } from '../../util/amount.js';
import type { OwnedOutput } from '../../monero/wallet/model/records.js';
import type { Db } from '../file/database.js';
import { FREE, OUTPUT_COLUMNS, toOutput, UNSPENT, type OutputRow } from '../tables/output-row.js';

/** Row number and amount of an output that may prove a reserve. */
interface Candidate {
  readonly number: bigint;
  readonly amount: bigint;
}

interface Statements {
  readonly smallest: Statement<[account: number, least: bigint], Candidate>;
  readonly largest: Statement<[account: number], Candidate>;
}

/** Reads outputs that can prove a reserve: outputs without a mined spend that are neither burnt nor frozen. */
export class ReserveReader {
  readonly #any: Statement<[], unknown>;
  readonly #anyReserved: Statement<[number], unknown>;
  readonly #ofAll: Statements;
  /** Statements for outputs that no unmined payment spends either; an index contains them with their amounts. */
  readonly #ofFree: Statements;
  readonly #byNumber: Statement<[bigint], OutputRow>;

  constructor(db: Db) {
    this.#any = db.prepare('SELECT 1 FROM account_sum WHERE mined_high <> 0 OR mined_low <> 0 LIMIT 1');
    // The sum of all candidates and the sum of those that no payment reserves are equal unless an unmined payment
    // spends one of them.
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

  /** Returns true if any account has an output that can prove a reserve. */
  any(): boolean {
    return this.#any.get() !== undefined;
  }

  /**
   * Returns the fewest outputs of an account whose sum reaches an amount: the smallest output that suffices alone,
   * otherwise the largest outputs. Returns all outputs if even their sum is too small.
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
