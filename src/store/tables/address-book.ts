import type { SqlDatabase } from '../../util/sql-database.js';

export interface AddressBookRow {
  /** Position among the entries: 0 for the oldest entry. A deletion decreases the positions of later entries. */
  readonly index: number;
  readonly address: string;
  readonly description: string;
}

/** Position before the first entry. */
export const NO_POSITION = -1;

/** Key of an entry's row, which deletions do not change, and the length of its texts [bytes]. */
export interface AddressBookPlace {
  readonly position: number;
  readonly bytes: number;
}

export class AddressBookReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  count(): number {
    return this.db.value<number>('SELECT count(*) FROM address_book') ?? 0;
  }

  /**
   * Returns the places of the next entries in order.
   * @param position place after which the entries begin; -1: all entries.
   */
  placesAfter(position: number, most: number): AddressBookPlace[] {
    return this.db.rows<AddressBookPlace>(
      `SELECT position, octet_length(address) + octet_length(description) AS bytes FROM address_book
       WHERE position > ? ORDER BY position LIMIT ?`,
      position,
      most,
    );
  }

  /** Returns the texts of the entry in a place. */
  textsIn({ position }: AddressBookPlace): Omit<AddressBookRow, 'index'> | undefined {
    return this.db.row<Omit<AddressBookRow, 'index'>>(
      'SELECT address, description FROM address_book WHERE position = ?',
      position,
    );
  }

  get(index: number): AddressBookRow | undefined {
    const row = this.db.row<Omit<AddressBookRow, 'index'>>(
      'SELECT address, description FROM address_book ORDER BY position LIMIT 1 OFFSET ?',
      index,
    );
    return row && { index, ...row };
  }

  /** Returns the key of an entry's row, which deletions do not change; undefined if there is no such entry. */
  protected position(index: number): number | undefined {
    return this.db.value<number>(
      'SELECT position FROM address_book ORDER BY position LIMIT 1 OFFSET ?',
      index,
    );
  }
}

export class AddressBookWriter extends AddressBookReader {
  /** Adds an entry. @returns the index of the entry. */
  add(address: string, description: string): number {
    const index = this.count();
    this.db.run(
      'INSERT INTO address_book (position, address, description) VALUES ((SELECT coalesce(max(position) + 1, 0) FROM address_book), ?, ?)',
      address,
      description,
    );
    return index;
  }

  set({ index, address, description }: AddressBookRow): void {
    this.db.run(
      'UPDATE address_book SET address = ?, description = ? WHERE position = ?',
      address,
      description,
      this.position(index) ?? null,
    );
  }

  remove(index: number): void {
    this.db.run('DELETE FROM address_book WHERE position = ?', this.position(index) ?? null);
  }
}
