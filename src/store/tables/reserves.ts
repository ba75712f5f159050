import type { Amount } from '../../util/amount.js';
import type { OwnedOutput } from '../../monero/wallet/scan/findings.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { keyEquals } from './columns.js';
import { CHAIN_ORDER, FREE, OUTPUT_COLUMNS, toOutput, UNSPENT, type OutputRow } from './output-row.js';

/** Row number and amount of an output that may prove a reserve. */
interface Candidate {
  readonly number: bigint;
  readonly amount: bigint;
}

/** Reads outputs that can prove a reserve: outputs without a mined spend that are neither burnt nor frozen. */
export class ReserveReader {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Returns true if any account has an output that can prove a reserve. */
  any(): boolean {
    return (
      this.#db.row('SELECT 1 FROM account_sum WHERE mined_high <> 0 OR mined_low <> 0 LIMIT 1') !== undefined
    );
  }

  /**
   * Returns the fewest outputs of an account whose sum reaches an amount: the smallest output that suffices alone,
   * otherwise the largest outputs. Returns all outputs if even their sum is too small. Outputs in the form of the fork, which
   * prove nothing yet, are among them only if the others do not reach the amount.
   */
  fewest(account: number, least: Amount): OwnedOutput[] {
    const any = this.#fewest(account, least);
    if (any.every(({ carrot }) => carrot === undefined)) return any;
    const legacy = this.#fewest(account, least, 'AND carrot IS NULL');
    return legacy.reduce((total, { amount }) => total + amount, 0n) >= least ? legacy : any;
  }

  /** Returns outputs as {@link fewest}. @param condition SQL condition that the outputs also fulfil. */
  #fewest(account: number, least: Amount, condition = ''): OwnedOutput[] {
    // An index contains the outputs that also no unmined payment spends, with their amounts.
    const outputs = this.#anyReserved(account)
      ? `WHERE ${UNSPENT}`
      : `INDEXED BY owned_output_by_age WHERE ${FREE}`;
    const candidates = `SELECT rowid AS number, amount FROM owned_output ${outputs} AND account = ? ${condition}`;
    const { bigints } = this.#db;
    const sufficient = bigints.row<Candidate>(
      `${candidates} AND amount >= ? ORDER BY amount LIMIT 1`,
      account,
      least,
    );
    if (sufficient !== undefined) return this.#rows([sufficient.number]);
    const numbers: bigint[] = [];
    let total = 0n;
    for (const { number, amount } of bigints.each<Candidate>(`${candidates} ORDER BY amount DESC`, account)) {
      numbers.push(number);
      total += amount;
      if (total >= least) break;
    }
    return this.#rows(numbers);
  }

  /**
   * Returns the outputs that existed and were unspent after the block at a height, frozen ones too, in the order of the chain.
   * Of several with one key, returns the one that could be spent then. An output that a transaction spends which the wallet has
   * not seen counts as spent at any height.
   * @param accounts accounts of the outputs; undefined: all accounts. @param most largest number of outputs to return.
   */
  heldAt(height: number, accounts: readonly number[] | undefined, most: number): OwnedOutput[] {
    return this.#db.bigints
      .rows<OutputRow>(
        `SELECT ${OUTPUT_COLUMNS} FROM owned_output
         WHERE height <= :height AND (spent_height IS NULL OR spent_height > :height)
           AND (burnt = 0 OR NOT EXISTS (
             SELECT 1 FROM owned_output AS other
             WHERE ${keyEquals('other.public_key', 'owned_output.public_key')} AND other.height <= :height
               AND (other.burnt = 0 OR other.amount > owned_output.amount
                 OR (other.amount = owned_output.amount AND other.rowid < owned_output.rowid))))
           AND (:accounts IS NULL OR account IN (SELECT value FROM json_each(:accounts)))
         ${CHAIN_ORDER} LIMIT :most`,
        { height, accounts: accounts === undefined ? null : JSON.stringify(accounts), most },
      )
      .map(toOutput);
  }

  /**
   * Returns true if an unmined payment spends a candidate. Without such a payment, the sum of all candidates equals the
   * sum of the candidates that no payment reserves.
   */
  #anyReserved(account: number): boolean {
    const reserved = this.#db.row(
      'SELECT 1 FROM account_sum WHERE account = ? AND (mined_high <> free_high OR mined_low <> free_low)',
      account,
    );
    return reserved !== undefined;
  }

  #rows(numbers: readonly bigint[]): OwnedOutput[] {
    return numbers.flatMap((number) => {
      const row = this.#db.bigints.row<OutputRow>(
        `SELECT ${OUTPUT_COLUMNS} FROM owned_output WHERE rowid = ?`,
        number,
      );
      return row === undefined ? [] : [toOutput(row)];
    });
  }
}
