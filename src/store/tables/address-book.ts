import type { Statement } from '../../util/sql-database.js';
import type { Db } from '../file/database.js';

export interface AddressBookRow {
  /** Position among the entries: 0 for the oldest one. A deletion decreases the positions of later entries. */
  readonly index: number;
  readonly address: string;
  readonly description: string;
}

/** Position before the first one. */
export const NO_POSITION = -1;

/** Key of an entry's row, which deletions do not change, and the length of its texts [bytes]. */
export interface AddressBookPlace {
  readonly position: number;
  readonly bytes: number;
}

export class AddressBookReader {
  protected readonly db: Db;
  readonly #count: Statement<[], { n: number }>;
  readonly #after: Statement<[number, number], AddressBookPlace>;
  readonly #in: Statement<[number], Omit<AddressBookRow, 'index'>>;
  readonly #at: Statement<[number], Omit<AddressBookRow, 'index'> & { readonly position: number }>;

  constructor(db: Db) {
    this.db = db;
    this.#count = db.prepare('SELECT count(*) AS n FROM address_book');
    this.#after = db.prepare(
      `SELECT position, octet_length(address) + octet_length(description) AS bytes FROM address_book
       WHERE position > ? ORDER BY position LIMIT ?`,
    );
    this.#in = db.prepare('SELECT address, description FROM address_book WHERE position = ?');
    this.#at = db.prepare(
      'SELECT position, address, description FROM address_book ORDER BY position LIMIT 1 OFFSET ?',
    );
  }

  count(): number {
    return this.#count.get()?.n ?? 0;
  }

  /** Returns the places of the next entries in order. @param position place after which they begin; -1: all. */
  placesAfter(position: number, most: number): AddressBookPlace[] {
    return this.#after.all(position, most);
  }

  /** Returns the texts of the entry in a place. */
  textsIn({ position }: AddressBookPlace): Omit<AddressBookRow, 'index'> | undefined {
    return this.#in.get(position);
  }

  get(index: number): AddressBookRow | undefined {
    const row = this.#at.get(index);
    return row && { index, address: row.address, description: row.description };
  }

  /** Returns the key of an entry's row, which deletions do not change; undefined if there is no such entry. */
  protected position(index: number): number | undefined {
    return this.#at.get(index)?.position;
  }
}

export class AddressBookWriter extends AddressBookReader {
  /** Adds an entry. @returns its index. */
  add(address: string, description: string): number {
    const index = this.count();
    this.db
      .prepare(
        'INSERT INTO address_book (position, address, description) VALUES ((SELECT coalesce(max(position) + 1, 0) FROM address_book), ?, ?)',
      )
      .run(address, description);
    return index;
  }

  set({ index, address, description }: AddressBookRow): void {
    this.db
      .prepare('UPDATE address_book SET address = ?, description = ? WHERE position = ?')
      .run(address, description, this.position(index));
  }

  remove(index: number): void {
    this.db.prepare('DELETE FROM address_book WHERE position = ?').run(this.position(index));
  }
}
