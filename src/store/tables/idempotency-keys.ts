import type { KeyedCall } from '../../model/keyed-call.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toBytes } from './columns.js';

/** Row of a keyed call, without the kind of the record that the call made. */
interface KeyRow {
  readonly key: string;
  readonly method: string;
  readonly request_hash: Uint8Array;
  readonly sequence: number;
}

/** A recorded call, and the number of the record that it made. */
export interface RecordedCall extends KeyedCall {
  readonly sequence: number;
}

const KINDS = { order: 1, request: 2 } as const;

/** Idempotency keys of one kind of record: orders and payment requests have separate keys. */
export class IdempotencyKeys {
  readonly #db: SqlDatabase;
  readonly #kind: number;

  /** @param kind kind of the records that calls with the keys make. */
  constructor(db: SqlDatabase, kind: keyof typeof KINDS) {
    this.#db = db;
    this.#kind = KINDS[kind];
  }

  /** Returns the first call with a key; undefined if the key is free. */
  find(key: string): RecordedCall | undefined {
    return this.#one('key = ?', key);
  }

  /** Returns the call that made a record. @throws Error if no key belongs to the record. */
  of(sequence: number): RecordedCall {
    const call = this.#one('sequence = ?', sequence);
    if (call === undefined) throw new Error('a record without an idempotency key');
    return call;
  }

  /** Records a call with the record that it made. @throws Error if the key is in use, or the record has a key. */
  add({ key, method, requestHash }: KeyedCall, sequence: number): void {
    this.#db.run(
      'INSERT INTO idempotency_key (kind, key, method, request_hash, sequence) VALUES (?, ?, ?, ?, ?)',
      ...[this.#kind, key, method, requestHash, sequence],
    );
  }

  /** Deletes the key of a record, so that the key can be used again. */
  free(sequence: number): void {
    this.#db.run('DELETE FROM idempotency_key WHERE kind = ? AND sequence = ?', this.#kind, sequence);
  }

  #one(condition: string, value: string | number): RecordedCall | undefined {
    const row = this.#db.row<KeyRow>(
      `SELECT key, method, request_hash, sequence FROM idempotency_key WHERE kind = ? AND ${condition}`,
      this.#kind,
      value,
    );
    return (
      row && {
        ...{ key: row.key, method: row.method, sequence: row.sequence },
        requestHash: toBytes<'Hash'>(row.request_hash),
      }
    );
  }
}
