import { unixSeconds } from '../../util/clock.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store' | 'clock' | 'eventRetentionMs'>;

/** Shortest interval between two deletions of expired rows [s]. */
const INTERVAL_SECONDS = 3600;

/** Largest number of transactions in one deletion; each deletes a limited number of rows. */
const STEPS = 10;
const ROWS_AT_ONCE = 1_000;

/** Deletes events older than the retention time, and webhook deliveries that ended before it. */
export class EventRetention {
  readonly #context: Context;
  /** Time at which the last expired row was deleted [Unix s]. */
  #doneAt = -Infinity;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Deletes expired rows once an hour, in transactions of limited size. If rows are left, the next call continues. */
  run(): void {
    const { clock, eventRetentionMs } = this.#context;
    const now = unixSeconds(clock);
    if (Math.abs(now - this.#doneAt) < INTERVAL_SECONDS) return;
    const before = now * 1000 - eventRetentionMs;
    if (this.#expireEvents(before) && this.#expireDeliveries(before)) this.#doneAt = now;
  }

  /** Deletes expired events. @param before Unix time [ms]. @returns true if none is left. */
  #expireEvents(before: number): boolean {
    const { store } = this.#context;
    for (let i = 0; i < STEPS; i++) {
      const oldest = store.read((r) => r.events.oldestTime());
      if (oldest === undefined || oldest >= before) return true;
      if (!store.writeRecoverable((w) => w.events.expire(before, ROWS_AT_ONCE))) return true;
    }
    return false;
  }

  /** Deletes expired webhook deliveries. @param before Unix time [ms]. @returns true if none is left. */
  #expireDeliveries(before: number): boolean {
    const { store } = this.#context;
    for (let i = 0; i < STEPS; i++) {
      if (!store.read((r) => r.webhookDeliveries.hasEndedBefore(before))) return true;
      store.writeRecoverable((w) => w.webhookDeliveries.expire(before, ROWS_AT_ONCE));
    }
    return false;
  }
}
