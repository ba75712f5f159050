import { writeWholeJson } from '../../util/json-writer.js';
import type { EventType, WalletEvent } from '../../monero/wallet/model/events.js';
import type { EventSource, QueuedEvent } from '../../net/webhooks/delivery-log.js';
import type { WalletContext } from '../context/wallet-context.js';
import { eventJson } from '../events/event-json.js';

type Context = Pick<WalletContext, 'addresses' | 'name' | 'store'>;

/** Events of one wallet that an endpoint subscribes to, as far as they are on disk. */
export class StoredEvents implements EventSource {
  readonly #context: Context;
  readonly #flushed: { readonly upTo: number };
  readonly #types: readonly EventType[] | undefined;
  readonly #kind: { readonly live: boolean };

  /**
   * @param flushed position up to which events are on disk. @param types absent: all.
   * @param options.history whether the history of a restored or imported wallet is sent too.
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

  /** Finds the next event on disk; events that retention has deleted are left out. */
  next(after: number): ReturnType<EventSource['next']> {
    const { upTo } = this.#flushed;
    if (after >= upTo) return { upTo };
    const [event] = this.#context.store.read((r) => r.events.after(after, 1, this.#types, this.#kind));
    return event !== undefined && event.id <= upTo ? { event: this.#queued(event) } : { upTo };
  }

  /** Also an event of the history. */
  byId(id: number): QueuedEvent | undefined {
    const [event] = this.#context.store.read((r) => r.events.after(id - 1, 1, this.#types));
    return event?.id === id ? this.#queued(event) : undefined;
  }

  /** Counts events after a position, on disk or not, up to a limit. */
  count(after: number, limit: number): number {
    return this.#context.store.read((r) => r.events.after(after, limit, this.#types, this.#kind)).length;
  }

  #queued(event: WalletEvent): QueuedEvent {
    const { name, addresses } = this.#context;
    const { id, ...body } = eventJson(event, name, (index) => addresses.text(index));
    const { type, timestamp, data, wallet, history } = body;
    const marked = history === undefined ? {} : { history };
    return { id, body: writeWholeJson({ type, timestamp, data, wallet, ...marked }) };
  }
}
