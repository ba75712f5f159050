import type { Statement } from '../../util/sql-database.js';
import type { Db } from '../file/database.js';

/** Reads the tags of accounts, a column of the table `account`, and their descriptions. */
export class AccountTagReader {
  protected readonly db: Db;
  readonly #description: Statement<[string], { description: string }>;
  readonly #descriptionBytes: Statement<[string], number>;
  readonly #tag: Statement<[number], string>;
  readonly #tagBytes: Statement<[number], number>;

  constructor(db: Db) {
    this.db = db;
    this.#description = db.prepare('SELECT description FROM account_tag WHERE tag = ?');
    this.#descriptionBytes = db
      .prepare<[string], number>('SELECT octet_length(description) FROM account_tag WHERE tag = ?')
      .pluck();
    this.#tag = db.prepare<[number], string>('SELECT tag FROM account WHERE major = ?').pluck();
    this.#tagBytes = db
      .prepare<[number], number>('SELECT octet_length(tag) FROM account WHERE major = ?')
      .pluck();
  }

  /** Returns the tag of an account; empty if it has none. */
  tag(account: number): string {
    return this.#tag.get(account) ?? '';
  }

  /** Returns the length of the tag of an account [bytes], without reading it. */
  tagBytes(account: number): number {
    return this.#tagBytes.get(account) ?? 0;
  }

  /** True if an account has the tag. Tags of another length are not read. */
  has(tag: string): boolean {
    return (
      this.db
        .prepare('SELECT 1 FROM account WHERE octet_length(tag) = ? AND tag = ? LIMIT 1')
        .get(Buffer.byteLength(tag), tag) !== undefined
    );
  }

  /** Returns the length of the description of a tag [bytes], without reading it. */
  descriptionBytes(tag: string): number {
    return this.#descriptionBytes.get(tag) ?? 0;
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
    const former = new Set(accounts.map((account) => this.tag(account)));
    const assign = this.db.prepare('UPDATE account SET tag = ? WHERE major = ?');
    for (const account of accounts) assign.run(tag, account);
    const forget = this.db.prepare('DELETE FROM account_tag WHERE tag = ?');
    for (const old of former) if (old !== '' && !this.has(old)) forget.run(old);
  }
}
