import type { FailureReason } from './sender.js';

/** Event as it is sent. */
export interface QueuedEvent {
  /** Increases with every event; also the `webhook-id`. */
  readonly id: number;
  /** JSON text. */
  readonly body: string;
}

/** Events of one wallet that an endpoint subscribes to. */
export interface EventSource {
  /**
   * Finds the first event after an id. Without one, `upTo` is the last id of the wallet, up to which none has to be
   * searched for again.
   */
  next(
    after: number,
  ): { readonly event: QueuedEvent } | { readonly event?: undefined; readonly upTo: number };
  /** Returns undefined for an event that retention has deleted. */
  byId(id: number): QueuedEvent | undefined;
}

/** Delivery of an event whose attempts have all failed, with attempts left. */
export interface PendingDelivery {
  readonly eventId: number;
  /** Attempts made. */
  readonly attempts: number;
  /** Unix time of the next attempt [ms]. */
  readonly due: number;
}

/** Next attempt of a delivery. */
export interface ScheduledAttempt {
  /** Unix time [ms]. */
  readonly due: number;
  /** Wait from the end of the attempt before it [ms]; `due - wait` is the time at which it was scheduled. */
  readonly wait: number;
}

/** Result of an attempt, or the end of a delivery whose event is deleted (`expired`). */
export interface AttemptRecord {
  readonly eventId: number;
  /** Attempts made, this one included. */
  readonly attempts: number;
  /** Unix time at which the attempt ended [ms]. */
  readonly time: number;
  /** Absent: acknowledged, or given up. */
  readonly next?: ScheduledAttempt;
  readonly state: DeliveryState;
  /** HTTP status of the response. */
  readonly status?: number;
  /** Absent when acknowledged. */
  readonly reason?: FailureReason | 'expired';
  /** Disables the endpoint: the receiver answered 410. */
  readonly disable?: boolean;
}

/** `pending`: another attempt follows. `delivered`: acknowledged with 2xx. `failed`: given up. */
export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** Deliveries of one endpoint. Kept in the wallet's store, so that they survive a crash. */
export interface DeliveryLog {
  /** Id of the last event with a recorded attempt; the initial one is that of the last event before the endpoint. */
  position(): number;
  /** True if nothing may be sent. Deliveries stay pending. */
  isDisabled(): boolean;
  /** Returns the pending delivery with the earliest due time. */
  earliest(): PendingDelivery | undefined;
  /**
   * Records an attempt, and advances the position to its event, in one transaction that survives a crash of the process.
   */
  record(attempt: AttemptRecord): void;
  /** Schedules again, `wait` from now, each attempt that was scheduled after `now`: the clock was stepped back. */
  rebase(now: number): void;
  /** Resolves once all records are on disk and survive a crash of the machine. */
  flush(): Promise<void>;
}
