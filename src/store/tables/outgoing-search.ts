import type { Hash } from '../../monero/crypto/types.js';
import { equalBytes } from '../../util/bytes.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toBytes } from './columns.js';

/** Finds payments that the wallet makes, by their payees and by their age. */
export class OutgoingSearchReader {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /**
   * Finds payments to an address among a number of recorded destinations, by ascending hash.
   * @param after hash after which the search begins. @param span largest number of destinations that are looked at.
   * @returns the hashes, and the hash after which the search goes on; undefined once it has ended.
   */
  paidTo(
    address: string,
    after: Uint8Array,
    span: number,
  ): { readonly hashes: Hash[]; readonly next?: Hash } {
    const rows = this.#db.rows<{ readonly tx_hash: Uint8Array; readonly isPaid: number }>(
      `SELECT tx_hash, address = ? AS isPaid FROM outgoing_destination WHERE tx_hash > ? ORDER BY tx_hash LIMIT ?`,
      ...[address, after, span],
    );
    const last = rows.length < span ? undefined : rows.at(-1);
    const found = rows.filter(({ isPaid }) => isPaid !== 0).map(({ tx_hash: hash }) => toBytes<'Hash'>(hash));
    return {
      hashes: found.filter((hash, i) => i === 0 || !equalBytes(hash, found[i - 1] ?? hash)),
      ...(last === undefined ? {} : { next: toBytes<'Hash'>(last.tx_hash) }),
    };
  }

  /** Returns the transactions that were sent and are not mined, the oldest first. */
  oldestPending(limit: number): { readonly txHash: Hash; readonly timestamp: number }[] {
    return this.#db
      .rows<{ readonly tx_hash: Uint8Array; readonly timestamp: number }>(
        `SELECT tx_hash, timestamp FROM outgoing_tx WHERE state <> 'confirmed' AND state = 'pending'
         ORDER BY timestamp, tx_hash LIMIT ?`,
        limit,
      )
      .map(({ tx_hash: hash, timestamp }) => ({ txHash: toBytes<'Hash'>(hash), timestamp }));
  }
}
