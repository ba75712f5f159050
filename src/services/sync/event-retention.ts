import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store' | 'timeBounds' | 'eventRetentionMs'>;

/** Shortest interval between two deletions of expired rows, and between two marks [s]. */
const INTERVAL_SECONDS = 3600;

/** Number of marks in the retention time. */
const MARKS = 64;

/** Largest number of transactions in one deletion; each deletes a limited number of rows. */
const STEPS = 10;
const ROWS_AT_ONCE = 1_000;

/**
 * Deletes events older than the retention time, and webhook deliveries of such events that ended before the retention
 * time. Events may stay longer by a 64th of the time. A step of the clock deletes nothing: the age of an event is the
 * age of a mark that was made after the event, by {@link TimeBounds}.
 */
export class EventRetention {
  readonly #context: Context;
  /** Time at which the last expired row was deleted [Unix s]. */
  #doneAt = -Infinity;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Deletes expired rows once an hour, in transactions of limited size. If rows are left, the next call continues. */
  run(): void {
    const { store, timeBounds, eventRetentionMs } = this.#context;
    const now = timeBounds.earliest();
    if (Math.abs(now - this.#doneAt) < INTERVAL_SECONDS) return;
    const before = now - eventRetentionMs / 1000;
    const upTo = store.read((r) => r.eventMarks.upTo(before));
    this.#mark(upTo);
    if (this.#expireEvents(upTo) && this.#expireDeliveries(before * 1000, upTo)) this.#doneAt = now;
  }

  /** Marks the latest event with the time, unless there is a recent mark. @param upTo id below which marks are dropped. */
  #mark(upTo: number): void {
    const { store, timeBounds, eventRetentionMs } = this.#context;
    const [newest, last] = store.read((r) => [r.eventMarks.newest(), r.events.last()]);
    if (last === 0) return;
    const time = timeBounds.latest();
    const interval = Math.max(INTERVAL_SECONDS, eventRetentionMs / 1000 / MARKS);
    if (newest !== undefined && !timeBounds.isAhead(newest.time))
      if (newest.last >= last || time - newest.time < interval) return;
    store.writeRecoverable((w) => {
      w.eventMarks.dropBelow(upTo);
      w.eventMarks.add({ last, time });
    });
  }

  /** Deletes events up to an id. @returns true if no such rows are left. */
  #expireEvents(upTo: number): boolean {
    const { store } = this.#context;
    for (let i = 0; i < STEPS; i++) {
      const oldest = store.read((r) => r.events.oldestId());
      if (oldest === undefined || oldest > upTo) return true;
      if (!store.writeRecoverable((w) => w.events.expire(upTo, ROWS_AT_ONCE))) return true;
    }
    return false;
  }

  /**
   * Deletes deliveries of events up to an id that ended before a time [Unix ms].
   * @returns true if no such rows are left.
   */
  #expireDeliveries(before: number, upTo: number): boolean {
    const { store } = this.#context;
    for (let i = 0; i < STEPS; i++) {
      if (!store.read((r) => r.webhookDeliveries.hasEndedBefore(before, upTo))) return true;
      store.writeRecoverable((w) => w.webhookDeliveries.expire(before, upTo, ROWS_AT_ONCE));
    }
    return false;
  }
}
