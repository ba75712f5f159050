import type { SqlDatabase } from '../../util/sql-database.js';

/** Keys of the wallet's single values. */
export type MetaKey =
  | 'restore_height'
  | 'created_at'
  /**
   * Time at which a wallet with a history was added to this server [Unix s]; present until `arrival_height` is known.
   */
  | 'arrived_at'
  /**
   * Number of blocks of the chain when a wallet with a history was added to this server. Payments in these blocks are
   * the history of the wallet.
   */
  | 'arrival_height'
  /**
   * Balances from an imported cache of the reference, as JSON; present until the wallet has reached the daemon's tip.
   */
  | 'imported_balances'
  /**
   * Places where addresses may have been given out that the store does not know, as JSON; absent for a wallet of new
   * keys.
   */
  | 'lost_addresses'
  /**
   * Time of creation of the record of addresses beside the store, which differs from the time of creation of a copy.
   */
  | 'address_record'
  /** Accounts whose low balance was reported, comma separated; absent: none. */
  | 'low_accounts'
  /** Position of the catch-up of addresses, as JSON; present while a catch-up runs. */
  | 'catch_up'
  | 'last_block_reward'
  /** Time of the newest block [Unix s]. */
  | 'last_block_time'
  | 'background_sync'
  | 'reused_keys'
  /** Present when the events describe all contents of the store. */
  | 'events'
  /** Height up to which the contents of a store without events were reported so far. */
  | 'events_begun'
  | 'event_peaks'
  /**
   * Number of blocks with payments and spends that an earlier version did not prove; absent: all are proven. See
   * `UnprovenBlockReader`.
   */
  | 'unproven_below'
  /** Height of the lowest block that a refresh has skipped; absent: none. Its spends are not known. */
  | 'skipped_from'
  /** Height of the tip before a rescan; present until the rescan has ended. */
  | 'rescan_to'
  /** The last time at which the wallet had all blocks and the mempool of the daemon, as JSON. */
  | 'followed'
  | 'events_expired'
  /** Id of the event up to which commands of `--tx-notify` were started. */
  | 'notify_position'
  /** Present when a replicated store may lack pages in its log that were not stored elsewhere. */
  | 'base_needed';

/** Reads the wallet's single values, by key. */
export class MetaReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  get(key: MetaKey): string | undefined {
    return this.db.value<string>('SELECT value FROM meta WHERE key = ?', key);
  }
}

/** Writes single values. As every writer, it exists only for the task of `WalletStore.write`. */
export class MetaWriter extends MetaReader {
  set(key: MetaKey, value: string): void {
    this.db.run(
      'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      key,
      value,
    );
  }

  remove(key: MetaKey): void {
    this.db.run('DELETE FROM meta WHERE key = ?', key);
  }
}

/** Reads the key-value texts that clients store with the wallet. */
export class AttributeReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  get(key: string): string | undefined {
    return this.db.value<string>('SELECT value FROM attribute WHERE key = ?', key);
  }
}

export class AttributeWriter extends AttributeReader {
  set(key: string, value: string): void {
    this.db.run(
      'INSERT INTO attribute (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      key,
      value,
    );
  }
}
