import type {
  AttemptRecord,
  DeliveryLog,
  EventSource,
  PendingDelivery,
  QueuedEvent,
  ScheduledAttempt,
} from '../../../src/net/webhooks/delivery-log.js';

/** Delivery log in memory. */
export class MemoryDeliveryLog implements DeliveryLog {
  readonly records: AttemptRecord[] = [];
  disabled = false;
  readonly #pending = new Map<number, { attempts: number } & ScheduledAttempt>();
  #position = 0;

  /** Returns a log with the same content, as after a restart. */
  copy(): MemoryDeliveryLog {
    const copy = new MemoryDeliveryLog();
    copy.records.push(...this.records);
    copy.disabled = this.disabled;
    for (const [id, delivery] of this.#pending) copy.#pending.set(id, delivery);
    copy.#position = this.#position;
    return copy;
  }

  position(): number {
    return this.#position;
  }

  isDisabled(): boolean {
    return this.disabled;
  }

  get pending(): PendingDelivery[] {
    return [...this.#pending]
      .map(([eventId, { attempts, due }]) => ({ eventId, attempts, due }))
      .sort((a, b) => a.due - b.due || a.eventId - b.eventId);
  }

  earliest(): PendingDelivery | undefined {
    return this.pending[0];
  }

  record(attempt: AttemptRecord): void {
    const { eventId, attempts, next, disable = false } = attempt;
    this.records.push(attempt);
    if (next === undefined) this.#pending.delete(eventId);
    else this.#pending.set(eventId, { attempts, ...next });
    this.#position = Math.max(this.#position, eventId);
    this.disabled ||= disable;
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  rebase(now: number): void {
    for (const [id, delivery] of this.#pending)
      if (delivery.due - delivery.wait > now)
        this.#pending.set(id, { ...delivery, due: now + delivery.wait });
  }
}

/** Events in memory, of which an endpoint takes those with a body. */
export class MemoryEvents implements EventSource {
  readonly #bodies = new Map<number, string | undefined>();
  /** Ids after which an event was searched for. */
  readonly searches: number[] = [];

  /** Adds an event. @param body absent: the endpoint has not subscribed to the event. */
  add(id: number, body?: string): void {
    this.#bodies.set(id, body);
  }

  delete(id: number): void {
    this.#bodies.delete(id);
  }

  next(after: number): { event: QueuedEvent } | { event?: undefined; upTo: number } {
    this.searches.push(after);
    const ids = [...this.#bodies.keys()].sort((a, b) => a - b);
    for (const id of ids) {
      const event = id > after ? this.byId(id) : undefined;
      if (event !== undefined) return { event };
    }
    return { upTo: ids.at(-1) ?? 0 };
  }

  byId(id: number): QueuedEvent | undefined {
    const body = this.#bodies.get(id);
    return body === undefined ? undefined : { id, body };
  }
}
