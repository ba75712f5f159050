import type { Lookahead } from '../../monero/wallet/scan/subaddress-table.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { MetaReader, MetaWriter } from './meta.js';

/** Position of a catch-up: blocks are read again from `from` on, and all blocks below `next` have been read again. */
export interface CatchUpPosition {
  readonly from: number;
  readonly next: number;
}

/** SQL that returns 1 if no catch-up searches for an address that is created, or in the lookahead of a new wallet. */
const LACKS = `
  SELECT EXISTS (SELECT 1 FROM chain_block) AND EXISTS (SELECT 1 FROM searched_account) AND (
    EXISTS (SELECT 1 FROM account a LEFT JOIN searched_account s ON s.account = a.major
      WHERE a.address_count > coalesce(s.wanted, 0))
    OR (SELECT count(*) FROM searched_account WHERE account < :accounts AND wanted >= :addresses) < :accounts)`;

/** Reads the numbers of addresses that were searched for in the blocks that the wallet has read. */
export class SearchedAddressReader {
  protected readonly db: SqlDatabase;
  readonly #meta: MetaReader;

  constructor(db: SqlDatabase) {
    this.db = db;
    this.#meta = new MetaReader(db);
  }

  /** Returns the number of searched addresses by account index; empty before the first block is read. */
  counts(): number[] {
    const counts: number[] = [];
    const rows = this.db.arrays.rows<[account: number, searched: number]>(
      'SELECT account, searched FROM searched_account ORDER BY account',
    );
    for (const [account, searched] of rows) counts[account] = searched;
    return Array.from(counts, (count: number | undefined) => count ?? 0);
  }

  /** Returns the position of the running catch-up; undefined if no catch-up runs. */
  position(): CatchUpPosition | undefined {
    const text = this.#meta.get('catch_up');
    return text === undefined ? undefined : (JSON.parse(text) as CatchUpPosition);
  }

  /**
   * True if blocks were read without the payments to an address that is created or in the lookahead of a new wallet, and no
   * running catch-up searches for them.
   */
  lacks({ major, minor }: Lookahead): boolean {
    return this.db.value<number>(LACKS, { accounts: major, addresses: minor }) === 1;
  }
}

/**
 * Writes the numbers of addresses that were searched for. As every writer, it exists only for the task of
 * `WalletStore.write`.
 */
export class SearchedAddressWriter extends SearchedAddressReader {
  readonly #meta: MetaWriter;

  constructor(db: SqlDatabase) {
    super(db);
    this.#meta = new MetaWriter(db);
  }

  /** Records the addresses that are searched from the first block on, and ends the running catch-up. @param counts by account. */
  restart(counts: readonly number[]): void {
    this.db.run('DELETE FROM searched_account');
    this.#meta.remove('catch_up');
    this.raise(counts);
  }

  /** Records that more addresses were searched in every block. @param counts by account. */
  raise(counts: readonly number[]): void {
    const known = this.counts();
    counts.forEach((count, account) => {
      if (count > (known[account] ?? 0))
        this.db.run(
          `INSERT INTO searched_account (account, searched, wanted) VALUES (?, ?, ?) ON CONFLICT DO UPDATE
         SET searched = max(searched, excluded.searched), wanted = max(wanted, excluded.wanted)`,
          account,
          count,
          count,
        );
    });
  }

  /**
   * Begins a catch-up, or begins the running catch-up anew with more addresses.
   * @param counts numbers of addresses to search for, by account. @param from height of the first block.
   */
  begin(counts: readonly number[], from: number): void {
    counts.forEach((count, account) =>
      this.db.run(
        `INSERT INTO searched_account (account, searched, wanted) VALUES (?, 0, ?) ON CONFLICT DO UPDATE
         SET wanted = max(wanted, excluded.wanted)`,
        account,
        count,
      ),
    );
    this.#place({ from, next: from });
  }

  /**
   * Records that the blocks from `start` on, up to below `end`, have been read again, if the blocks below `start` have
   * been read again.
   */
  advance(start: number, end: number): void {
    const position = this.position();
    if (position !== undefined && start <= position.next && end > position.next)
      this.#place({ ...position, next: end });
  }

  /** Ends the catch-up, which has read all blocks. */
  finish(): void {
    this.db.run('UPDATE searched_account SET searched = wanted');
    this.#meta.remove('catch_up');
  }

  #place(position: CatchUpPosition): void {
    this.#meta.set('catch_up', JSON.stringify(position));
  }
}
