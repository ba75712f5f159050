import type { AttemptRecord, DeliveryState, PendingDelivery } from '../../net/webhooks/delivery-log.js';
import type { SqlDatabase } from '../../util/sql-database.js';

/** State of the delivery of an event to an endpoint, after its last attempt. */
export interface Delivery {
  readonly eventId: number;
  readonly state: DeliveryState;
  /** Number of attempts since the event was first sent, or since a client requested it again. */
  readonly attempts: number;
  /** Time at which the last attempt ended [Unix ms]. */
  readonly time: number;
  /** Time of the next attempt [Unix ms]; present in pending deliveries only. */
  readonly due?: number;
  /** HTTP status of the answer to the last attempt; absent if there was no answer. */
  readonly status?: number;
  /** Cause of the last failure; absent if the event was acknowledged. */
  readonly reason?: string;
}

/** Which deliveries to list. */
export interface DeliveryFilter {
  readonly state?: DeliveryState;
  /** Event id, exclusive; only deliveries of events with smaller ids are listed. */
  readonly before?: number;
  readonly limit: number;
}

interface DeliveryRow {
  readonly event: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly time: number;
  readonly due: number | null;
  readonly status: number | null;
  readonly reason: string | null;
}

/** Reason stored with an endpoint that is disabled because it answered 410. */
const GONE = 'gone';

const toDelivery = ({ event, due, status, reason, ...row }: DeliveryRow): Delivery => ({
  eventId: event,
  ...row,
  ...(due === null ? {} : { due }),
  ...(status === null ? {} : { status }),
  ...(reason === null ? {} : { reason }),
});

export class WebhookDeliveryReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns deliveries to an endpoint, newest event first. */
  list(webhook: string, { state, before, limit }: DeliveryFilter): Delivery[] {
    return this.db
      .rows<DeliveryRow>(
        `SELECT event, state, attempts, time, due, status, reason FROM webhook_delivery
           WHERE webhook = ? AND event < ? AND state = coalesce(?, state) ORDER BY event DESC LIMIT ?`,
        webhook,
        before ?? Number.MAX_SAFE_INTEGER,
        state ?? null,
        limit,
      )
      .map(toDelivery);
  }

  /** Counts the deliveries to an endpoint that wait for another attempt. */
  pendingCount(webhook: string): number {
    return (
      this.db.value<number>(
        'SELECT count(*) FROM webhook_delivery WHERE webhook = ? AND due IS NOT NULL',
        webhook,
      ) ?? 0
    );
  }

  /** Returns the pending delivery whose next attempt is due first; undefined if no delivery is pending. */
  earliest(webhook: string): PendingDelivery | undefined {
    return this.db.row<PendingDelivery>(
      `SELECT event AS eventId, attempts, due FROM webhook_delivery
         WHERE webhook = ? AND due IS NOT NULL ORDER BY due, event LIMIT 1`,
      webhook,
    );
  }

  /**
   * Returns true if an attempt was scheduled at a time after `now`, because the clock was set back since then.
   * @param now Unix time [ms].
   */
  isAheadOf(webhook: string, now: number): boolean {
    return (
      this.db.row(
        'SELECT 1 FROM webhook_delivery WHERE webhook = ? AND due IS NOT NULL AND due - wait > ? LIMIT 1',
        webhook,
        now,
      ) !== undefined
    );
  }

  /** Returns true if a delivery of an event up to an id ended before a time [Unix ms]. */
  hasEndedBefore(time: number, upTo: number): boolean {
    return (
      this.db.row(
        'SELECT 1 FROM webhook_delivery WHERE due IS NULL AND time < ? AND event <= ? LIMIT 1',
        time,
        upTo,
      ) !== undefined
    );
  }
}

export class WebhookDeliveryWriter extends WebhookDeliveryReader {
  /** Records an attempt, and moves the position of the endpoint to its event. */
  record(webhook: string, attempt: AttemptRecord): void {
    const { eventId, state, attempts, time, next, status, reason, disable = false } = attempt;
    this.db.run(
      `INSERT OR REPLACE INTO webhook_delivery (webhook, event, state, attempts, time, due, wait, status, reason)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      webhook,
      eventId,
      state,
      attempts,
      time,
      next?.due ?? null,
      next?.wait ?? null,
      status ?? null,
      reason ?? null,
    );
    this.db.run('UPDATE webhook SET position = ? WHERE position < ? AND id = ?', eventId, eventId, webhook);
    if (disable) this.db.run('UPDATE webhook SET disabled = ? WHERE id = ?', GONE, webhook);
  }

  /**
   * Makes an event due again, with the full number of attempts, for any state of its delivery.
   * @param now Unix time [ms].
   * @returns false for an unknown endpoint, and for an event after the endpoint's position, whose first attempt is
   * still to come.
   */
  requeue(webhook: string, eventId: number, now: number): boolean {
    const { changes } = this.db.run(
      `INSERT INTO webhook_delivery (webhook, event, state, attempts, time, due, wait)
           SELECT id, @eventId, 'pending', 0, @now, @now, 0 FROM webhook WHERE id = @webhook AND position >= @eventId
         ON CONFLICT DO UPDATE SET state = 'pending', attempts = 0, due = @now, wait = 0`,
      { webhook, eventId, now },
    );
    return changes > 0;
  }

  /**
   * Schedules each attempt again that was scheduled at a time after `now`: it becomes due at the end of its waiting
   * time from `now`.
   * @param now Unix time [ms].
   */
  rebase(webhook: string, now: number): void {
    this.db.run(
      `UPDATE webhook_delivery SET due = @now + wait
           WHERE webhook = @webhook AND due IS NOT NULL AND due - wait > @now`,
      { webhook, now },
    );
  }

  /**
   * Deletes at most `max` deliveries of events up to an id that ended before a time [Unix ms]; pending deliveries are kept.
   * @returns the number of deleted deliveries.
   */
  expire(before: number, upTo: number, max: number): number {
    return this.db.run(
      `DELETE FROM webhook_delivery WHERE (webhook, event) IN
           (SELECT webhook, event FROM webhook_delivery WHERE due IS NULL AND time < ? AND event <= ? ORDER BY time
            LIMIT ?)`,
      before,
      upTo,
      max,
    ).changes;
  }
}
