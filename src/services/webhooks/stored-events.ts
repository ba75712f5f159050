import { writeWholeJson } from '../../util/json-writer.js';
import type { EventType, WalletEvent } from '../../model/events.js';
import type { EventSource, QueuedEvent } from '../../net/webhooks/delivery-log.js';
import type { WalletContext } from '../context/wallet-context.js';
import { eventJson, type EventContext } from '../events/event-json.js';

type Context = EventContext & Pick<WalletContext, 'store'>;

/** Events of one wallet that an endpoint subscribes to, up to the last one on disk. */
export class StoredEvents implements EventSource {
  readonly #context: Context;
  readonly #flushed: { readonly upTo: number };
  readonly #types: readonly EventType[] | undefined;
  readonly #kind: { readonly live: boolean };

  /**
   * @param flushed position up to which events are on disk. @param types absent: all types.
   * @param options.history true: includes the history of a restored or imported wallet.
   */
  constructor(
    context: Context,
    flushed: { readonly upTo: number },
    types?: readonly EventType[],
    { history = false }: { readonly history?: boolean } = {},
  ) {
    this.#context = context;
    this.#flushed = flushed;
    this.#types = types;
    this.#kind = { live: !history };
  }

  /** Finds the next event on disk after an id; skips events that retention has deleted. */
  next(after: number): ReturnType<EventSource['next']> {
    const { upTo } = this.#flushed;
    if (after >= upTo) return { upTo };
    const [event] = this.#context.store.read((r) => r.events.after(after, 1, this.#types, this.#kind));
    return event !== undefined && event.id <= upTo ? { event: this.#queued(event) } : { upTo };
  }

  /** Finds an event by its id, also one of the history. */
  byId(id: number): QueuedEvent | undefined {
    const [event] = this.#context.store.read((r) => r.events.after(id - 1, 1, this.#types));
    return event?.id === id ? this.#queued(event) : undefined;
  }

  /** Counts the events after an id, whether on disk or not. @param limit largest result. */
  count(after: number, limit: number): number {
    return this.#context.store.read((r) => r.events.after(after, limit, this.#types, this.#kind)).length;
  }

  #queued(event: WalletEvent): QueuedEvent {
    const { id, ...body } = eventJson(event, this.#context);
    const { type, timestamp, data, wallet, history } = body;
    const marked = history === undefined ? {} : { history };
    const trace = this.#context.store.read((r) => r.events.traceOf(id));
    return {
      id,
      body: writeWholeJson({ type, timestamp, data, wallet, ...marked }),
      ...(trace === undefined ? {} : { trace }),
    };
  }
}
