import { WHOLE_WALLET, type PayoutState } from '../../model/payout.js';
import type { Amount } from '../../util/amount.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toAmount, toNumber, type Integer } from './columns.js';
import { CODES } from './event-row.js';

/** A payout that waits, with the time since which it does. */
export interface WaitingSince {
  /** Number of the payout. */
  readonly sequence: number;
  readonly account: number;
  /** Time of its creation, or from which it may be sent, if that is later [Unix s]. */
  readonly since: number;
}

/** Size of a batch. */
export interface BatchSize {
  /** Number of the order of the batch. */
  readonly batch: number;
  /** Number of the payouts that it pays. */
  readonly payees: number;
}

/** An event by which a payout was sent or confirmed. */
export interface PayoutStep {
  readonly state: Extract<PayoutState, 'sent' | 'confirmed'>;
  /** Time since which the payout could have been sent [Unix s]. */
  readonly since: number;
  /** Time of the event [Unix s]. */
  readonly time: number;
  /** Its share of the fee of the transaction [atomic units]. */
  readonly fee: Amount;
}

interface StepRow {
  readonly type: Integer;
  readonly since: Integer;
  readonly time: Integer;
  readonly fee: string | null;
}

/** SQL expression for the time since which a payout could have been sent. The index `payout_oldest` has it. */
const SINCE = 'max(created, coalesce(not_before, 0))';

/**
 * Reads figures of the queue of payouts for operators, from indexes and from new rows alone. `CROSS JOIN` fixes the order in
 * which SQLite reads tables: it would read all queued payouts for each number of a list.
 */
export class PayoutFigureReader {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Returns the oldest queued payout of each account with queued payouts, by account. */
  oldestQueued(): WaitingSince[] {
    return this.#db.rows<WaitingSince>(
      `WITH RECURSIVE paying(number) AS (
         SELECT min(account) FROM payout WHERE state = 'queued'
         UNION ALL
         SELECT (SELECT min(account) FROM payout WHERE state = 'queued' AND account > number)
           FROM paying WHERE number IS NOT NULL)
       SELECT sequence, account, ${SINCE} AS since FROM paying
         CROSS JOIN payout ON sequence = (SELECT p.sequence FROM payout p WHERE p.state = 'queued' AND p.account = number
           ORDER BY max(p.created, coalesce(p.not_before, 0)), p.sequence LIMIT 1)
       ORDER BY account`,
    );
  }

  /** Returns the time of creation of the oldest payout that waits for approval [Unix s]; undefined if none does. */
  oldestAwaiting(): number | undefined {
    return this.#db.value<number>(
      `SELECT created FROM payout
         WHERE sequence = (SELECT min(sequence) FROM payout WHERE state = 'awaiting_approval')`,
    );
  }

  /** Returns the accounts with queued payouts or batches, in order. */
  payingAccounts(): number[] {
    return this.#db.values<number>(
      `WITH RECURSIVE
       queued(number) AS (
         SELECT min(account) FROM payout WHERE state = 'queued'
         UNION ALL
         SELECT (SELECT min(account) FROM payout WHERE state = 'queued' AND account > number)
           FROM queued WHERE number IS NOT NULL),
       paid(number) AS (
         SELECT min(account) FROM payout_batch
         UNION ALL
         SELECT (SELECT min(account) FROM payout_batch WHERE account > number) FROM paid WHERE number IS NOT NULL)
       SELECT number FROM queued WHERE number IS NOT NULL UNION SELECT number FROM paid WHERE number IS NOT NULL
       ORDER BY number`,
    );
  }

  /** Counts those of the payouts with the given numbers that are queued in accounts without a pause. */
  countSendable(sequences: readonly number[]): number {
    return (
      this.#db.value<number>(
        `SELECT count(*) FROM json_each(?) CROSS JOIN payout ON sequence = value
         WHERE state = 'queued' AND account NOT IN (SELECT account FROM payout_pause)
           AND NOT EXISTS (SELECT 1 FROM payout_pause WHERE account = ${WHOLE_WALLET})`,
        JSON.stringify(sequences),
      ) ?? 0
    );
  }

  /** Returns the greatest number of a batch; 0 without batches. */
  lastBatch(): number {
    return this.#db.value<number | null>('SELECT max(sequence) FROM payout_batch') ?? 0;
  }

  /** Lists the sizes of the batches above a number, in the order of their numbers. */
  batchesAfter(batch: number, limit: number): BatchSize[] {
    return this.#db.rows<BatchSize>(
      `SELECT b.sequence AS batch, (SELECT count(*) FROM payout_share s WHERE s.batch = b.sequence) AS payees
       FROM payout_batch b WHERE b.sequence > ? ORDER BY b.sequence LIMIT ?`,
      batch,
      limit,
    );
  }

  /**
   * Lists the events after an id by which payouts were sent or confirmed, without those by which a mined payout returned to
   * the pool.
   * @param limit largest number of events, of any type, that are searched.
   * @returns the steps with the id of the last event that was searched; `upTo` is undefined if there is no further event.
   */
  stepsAfter(id: number, limit: number): { readonly steps: PayoutStep[]; readonly upTo: number | undefined } {
    const upTo = this.#db.value<number | null>(
      'SELECT max(id) FROM (SELECT id FROM event WHERE id > ? ORDER BY id LIMIT ?)',
      id,
      limit,
    );
    if (upTo === null || upTo === undefined) return { steps: [], upTo: undefined };
    const rows = this.#db.bigints.rows<StepRow>(
      `SELECT e.type, ${SINCE} AS since, e.time / 1000 AS time, json_extract(e.data, '$.fee') AS fee
       FROM event e CROSS JOIN payout ON sequence = json_extract(e.data, '$.payout')
       WHERE e.id > :id AND e.id <= :upTo AND (e.type = ${CODES['payout.confirmed']}
         OR e.type = ${CODES['payout.sent']} AND json_extract(e.data, '$.was') NOT IN ('mined', 'confirmed'))
       ORDER BY e.id`,
      { id, upTo },
    );
    return {
      upTo,
      steps: rows.map(({ type, since, time, fee }) => ({
        state: toNumber(type) === CODES['payout.sent'] ? 'sent' : 'confirmed',
        ...{ since: toNumber(since), time: toNumber(time), fee: toAmount(BigInt(fee ?? 0)) },
      })),
    };
  }
}
