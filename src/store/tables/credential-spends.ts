import type { Hash } from '../../monero/crypto/types.js';
import type { Amount } from '../../util/amount.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toColumn, type Integer } from './columns.js';

/** A payment that counts towards the limits of a credential. */
export interface CredentialSpend {
  readonly credential: string;
  /** Message that the ring signatures sign; it identifies the transaction before the signatures are complete. */
  readonly signingHash: Hash;
  readonly txHash?: Hash;
  /** Time of the payment [Unix s]. */
  readonly time: number;
  readonly amount: Amount;
}

interface SumRow {
  readonly high: Integer | null;
  readonly low: Integer | null;
}

/** SQL condition that a payment counts; a withdrawn payment counts if it was relayed nevertheless. */
const COUNTS = `(withdrawn = 0 OR EXISTS (
  SELECT 1 FROM outgoing_tx WHERE outgoing_tx.tx_hash = credential_spend.tx_hash AND state <> 'failed'))`;

/** Reads the amounts that were spent with each credential. */
export class CredentialSpendReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns the sum of the amounts of payments after a time [Unix s]. */
  sumAfter(credential: string, time: number): bigint {
    // The amounts are added up as two partial sums, each of which fits into 64 bits.
    const { high, low } = this.db.bigints.row<SumRow>(
      `SELECT SUM(amount >> 32) AS high, SUM(amount & 0xffffffff) AS low
         FROM credential_spend WHERE credential = ? AND time > ? AND ${COUNTS}`,
      credential,
      time,
    ) ?? { high: null, low: null };
    return ((high ?? 0n) << 32n) + (low ?? 0n);
  }

  /** Returns the time of the latest payment [Unix s]; undefined if there is no payment. */
  latest(credential: string): number | undefined {
    return (
      this.db.value<number | null>(
        'SELECT MAX(time) FROM credential_spend WHERE credential = ?',
        credential,
      ) ?? undefined
    );
  }

  /** Returns true if a payment is recorded already. */
  has(credential: string, signingHash: Hash): boolean {
    return (
      this.db.row(
        `SELECT 1 FROM credential_spend WHERE credential = ? AND signing_hash = ? AND ${COUNTS}`,
        credential,
        signingHash,
      ) !== undefined
    );
  }
}

export class CredentialSpendWriter extends CredentialSpendReader {
  /** Records a payment. A withdrawn payment counts again, at the new time. */
  add({ credential, signingHash, txHash, time, amount }: CredentialSpend): void {
    this.db.run(
      `INSERT INTO credential_spend (credential, signing_hash, tx_hash, time, amount) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET withdrawn = 0, time = excluded.time, amount = excluded.amount,
           tx_hash = COALESCE(excluded.tx_hash, tx_hash)`,
      credential,
      signingHash,
      txHash ?? null,
      time,
      toColumn(amount),
    );
  }

  /** Changes the date of all payments after a time to this time [Unix s]. */
  redate(credential: string, time: number): void {
    this.db.run(
      'UPDATE credential_spend SET time = ? WHERE credential = ? AND time > ?',
      time,
      credential,
      time,
    );
  }

  /** Marks a payment as withdrawn because the daemon refused it when it was first relayed. */
  withdraw(credential: string, signingHash: Hash): void {
    this.#setWithdrawn(credential, signingHash, 1);
  }

  /** Counts a withdrawn payment again, at its former time. */
  restore(credential: string, signingHash: Hash): void {
    this.#setWithdrawn(credential, signingHash, 0);
  }

  #setWithdrawn(credential: string, signingHash: Hash, withdrawn: 0 | 1): void {
    this.db.run(
      'UPDATE credential_spend SET withdrawn = ? WHERE credential = ? AND signing_hash = ?',
      withdrawn,
      credential,
      signingHash,
    );
  }
}
