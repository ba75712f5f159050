import type { SqlDatabase } from '../../util/sql-database.js';

/** Reads the tags of accounts, a column of the table `account`, and their descriptions. */
export class AccountTagReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns the tag of an account; empty if the account has no tag. */
  tag(account: number): string {
    return this.db.value<string>('SELECT tag FROM account WHERE major = ?', account) ?? '';
  }

  /** Returns the length of the tag of an account [bytes], without reading it. */
  tagBytes(account: number): number {
    return this.db.value<number>('SELECT octet_length(tag) FROM account WHERE major = ?', account) ?? 0;
  }

  /** True if an account has the tag. Tags of another length are not read. */
  has(tag: string): boolean {
    return (
      this.db.row(
        'SELECT 1 FROM account WHERE octet_length(tag) = ? AND tag = ? LIMIT 1',
        Buffer.byteLength(tag),
        tag,
      ) !== undefined
    );
  }

  /** Returns the length of the description of a tag [bytes], without reading it. */
  descriptionBytes(tag: string): number {
    return this.db.value<number>('SELECT octet_length(description) FROM account_tag WHERE tag = ?', tag) ?? 0;
  }

  /** Returns the description of a tag; empty if there is no description. */
  description(tag: string): string {
    return this.db.value<string>('SELECT description FROM account_tag WHERE tag = ?', tag) ?? '';
  }
}

/** Writes account tags. As every writer, it exists only for the task of `WalletStore.write`. */
export class AccountTagWriter extends AccountTagReader {
  setDescription(tag: string, description: string): void {
    this.db.run(
      'INSERT INTO account_tag (tag, description) VALUES (?, ?) ON CONFLICT (tag) DO UPDATE SET description = excluded.description',
      tag,
      description,
    );
  }

  /**
   * Sets the tag of accounts. A tag that no account has any longer loses its description.
   * @param tag new tag; empty: the accounts have no tag afterwards.
   */
  assign(accounts: readonly number[], tag: string): void {
    const former = new Set(accounts.map((account) => this.tag(account)));
    for (const account of accounts) this.db.run('UPDATE account SET tag = ? WHERE major = ?', tag, account);
    for (const old of former)
      if (old !== '' && !this.has(old)) this.db.run('DELETE FROM account_tag WHERE tag = ?', old);
  }
}
