import type { Statement } from '../../util/sql-database.js';
import type { Db } from '../file/database.js';

/** Reads the descriptions of account tags. The tag of an account itself is a column of the table `account`. */
export class AccountTagReader {
  protected readonly db: Db;
  readonly #description: Statement<[string], { description: string }>;

  constructor(db: Db) {
    this.db = db;
    this.#description = db.prepare('SELECT description FROM account_tag WHERE tag = ?');
  }

  /** Returns the description of a tag; empty if there is none. */
  description(tag: string): string {
    return this.#description.get(tag)?.description ?? '';
  }
}

/** Writes account tags. As every writer, it exists only for the task of `WalletStore.write`. */
export class AccountTagWriter extends AccountTagReader {
  setDescription(tag: string, description: string): void {
    this.db
      .prepare(
        'INSERT INTO account_tag (tag, description) VALUES (?, ?) ON CONFLICT (tag) DO UPDATE SET description = excluded.description',
      )
      .run(tag, description);
  }

  /**
   * Sets the tag of accounts. A tag that no account has any longer loses its description.
   * @param tag new tag; empty: the accounts have no tag afterwards.
   */
  assign(accounts: readonly number[], tag: string): void {
    const assign = this.db.prepare('UPDATE account SET tag = ? WHERE major = ?');
    for (const account of accounts) assign.run(tag, account);
    this.db.prepare('DELETE FROM account_tag WHERE tag NOT IN (SELECT tag FROM account)').run();
  }
}
