import type { Trace } from '../../util/trace.js';
import type { FailureReason } from './sender.js';

/** Event in the form in which it is sent. */
export interface QueuedEvent {
  /** Id of the event, which increases with every event; also the header `webhook-id`. */
  readonly id: number;
  /** JSON text of the event. */
  readonly body: string;
  /** Trace of the call that caused the event; absent if no trace is known. */
  readonly trace?: Trace;
}

/** Events of one wallet that an endpoint subscribes to. */
export interface EventSource {
  /**
   * Finds the first event after an id. If there is no such event, `upTo` is the last id of the wallet: later searches
   * can begin at this id.
   */
  next(
    after: number,
  ): { readonly event: QueuedEvent } | { readonly event?: undefined; readonly upTo: number };
  /** Returns an event; undefined if retention has deleted it. */
  byId(id: number): QueuedEvent | undefined;
}

/** Delivery of an event whose attempts have all failed so far, and which has attempts left. */
export interface PendingDelivery {
  readonly eventId: number;
  /** Number of attempts made. */
  readonly attempts: number;
  /** Unix time of the next attempt [ms]. */
  readonly due: number;
}

/** Time of the next attempt of a delivery. */
export interface ScheduledAttempt {
  /** Unix time [ms]. */
  readonly due: number;
  /** Wait after the end of the attempt before [ms]; the attempt was scheduled at `due - wait`. */
  readonly wait: number;
}

/** Result of an attempt, or end of a delivery whose event was deleted (`expired`). */
export interface AttemptRecord {
  readonly eventId: number;
  /** Number of attempts made, including this one. */
  readonly attempts: number;
  /** Unix time at which the attempt ended [ms]. */
  readonly time: number;
  /** Next attempt; absent if the event was acknowledged, or if no attempt is left. */
  readonly next?: ScheduledAttempt;
  readonly state: DeliveryState;
  /** HTTP status of the response; absent without a response. */
  readonly status?: number;
  /** Reason of the failure; absent if the event was acknowledged. */
  readonly reason?: FailureReason | 'expired';
  /** True: the endpoint is disabled, because the receiver answered 410. */
  readonly disable?: boolean;
}

/** `pending`: a further attempt follows. `delivered`: acknowledged with 2xx. `failed`: no attempt is left. */
export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** Log of the deliveries to one endpoint, in the store of the wallet, so that it survives a crash. */
export interface DeliveryLog {
  /**
   * Returns the id of the last event with a recorded attempt; before the first attempt, the id of the last event before
   * the endpoint was added.
   */
  position(): number;
  /** True if the endpoint is disabled: nothing is sent, and deliveries stay pending. */
  isDisabled(): boolean;
  /** Returns the pending delivery with the earliest due time. */
  earliest(): PendingDelivery | undefined;
  /**
   * Records an attempt, and moves the position to its event, in one transaction that survives a crash of the process.
   */
  record(attempt: AttemptRecord): void;
  /**
   * Schedules each attempt that is due later than `wait` from now again, because the clock was set back.
   * @param now Unix time [ms].
   */
  rebase(now: number): void;
  /** Resolves once all records are on disk and survive a crash of the machine. */
  flush(): Promise<void>;
}
