import type { Hash } from '../../monero/crypto/types.js';
import type { MinedPaymentFacts, PaymentFacts } from '../../model/events.js';
import type { Sight } from '../../model/arrival.js';
import type { PoolSignals } from '../../model/zero-conf.js';
import type { SqlDatabase } from '../../util/sql-database.js';

/** Reads when payments arrived. */
export class ArrivalReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns the time of the first sight of a transaction [Unix s]; undefined if no sight is recorded. */
  firstSight(txHash: Hash): number | undefined {
    return (
      this.db.value<number | null>('SELECT min(time) FROM arrival WHERE tx_hash = ?', txHash) ?? undefined
    );
  }
}

/**
 * SQL of the time from which on a payment that is seen now counts as arrived. A cancelled request counts no later
 * payment, even if the clock was set back.
 */
const afterCancellation = (time: string): string =>
  `max(${time}, coalesce((SELECT cancelled + 1 FROM payment_request WHERE minor = :minor AND account = :account), 0))`;

/** SQL that begins to record a payment; its times follow. */
const INSERT = 'INSERT INTO arrival (tx_hash, account, minor, time, since) VALUES (:txHash, :account, :minor';

const SEE = `${INSERT}, ${afterCancellation(':time')}, ${afterCancellation(':since')}) ON CONFLICT DO NOTHING`;

const MINE = `${INSERT}, ${afterCancellation(':time')}, NULL)
  ON CONFLICT DO UPDATE SET time = iif(since IS NULL, time, max(since, min(time, :blockTime))), since = NULL
  RETURNING time`;

/** Records the arrival of payments, once for each payment. */
export class ArrivalWriter extends ArrivalReader {
  /** Records the first sight of a payment in the mempool. */
  see(
    { txHash, subaddress: { major, minor } }: Pick<PaymentFacts, 'txHash' | 'subaddress'>,
    { time, since }: Sight,
  ): void {
    this.db.run(SEE, { txHash, account: major, minor, time, since: since ?? null });
  }

  /**
   * Records the first sight of a payment in a block. If the mempool contained the payment before and left its time
   * open, its block decides.
   * @param time time at which the payment arrived if this is its first sight [Unix s].
   * @returns the recorded time of its arrival [Unix s].
   */
  mine({ txHash, subaddress: { major, minor }, timestamp }: MinedPaymentFacts, time: number): number {
    const values = { txHash, account: major, minor, time, blockTime: timestamp };
    return this.db.value<number>(MINE, values) ?? time;
  }

  /** Records the signals of a payment in the mempool. @param accepted time at which it met the rule [Unix s]. */
  signal(
    { txHash, subaddress: { major, minor } }: Pick<PaymentFacts, 'txHash' | 'subaddress'>,
    { seenBy, priority }: PoolSignals,
    accepted: number | undefined,
  ): void {
    this.db.run(
      `UPDATE arrival SET seen_by = ?, priority = ?, accepted = coalesce(accepted, ?)
       WHERE tx_hash = ? AND account = ? AND minor = ?`,
      ...[seenBy, priority, accepted ?? null, txHash, major, minor],
    );
  }

  /** Records that the mempool has seen another transaction with the inputs of a transaction. */
  contest(txHash: Hash): void {
    this.db.run('UPDATE arrival SET contested = 1 WHERE tx_hash = ? AND contested = 0', txHash);
  }
}
