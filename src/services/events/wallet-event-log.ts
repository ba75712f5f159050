import { CachedRead } from '../../store/cached-read.js';
import { WalletError } from '../../model/wallet-error.js';
import type { EventType } from '../../model/events.js';
import type { WalletContext } from '../context/wallet-context.js';
import { eventJson, type EventContext, type EventJson } from './event-json.js';

type Context = EventContext & Pick<WalletContext, 'holding' | 'store'>;

/** Reads the events of one open wallet. */
export class WalletEventLog {
  readonly #context: Context;
  readonly #last: CachedRead<number>;

  constructor(context: Context) {
    this.#context = context;
    const { store } = context;
    this.#last = new CachedRead(
      store,
      (r) => r.events.last(),
      () => store.eventVersion,
    );
  }

  /** Id of the latest event that clients may see; 0 if the wallet has had none. */
  get lastId(): number {
    const { store, holding } = this.#context;
    // The pages are committed first: events of other wallets may have greater ids, and a cursor after these ids would
    // skip smaller ids that are committed later.
    store.commitPages();
    return Math.min(this.#last.value, holding?.eventsUpTo ?? Infinity);
  }

  /**
   * Returns the id of the first event after a cursor that clients may not see yet, since no quorum has it; Infinity if
   * there is no such event. A cursor over several wallets must stay below this id.
   */
  hiddenAfter(id: number): number {
    const seen = Math.max(id, this.lastId);
    if (this.#last.value <= seen) return Infinity;
    return this.#context.store.readCommitted((r) => r.events.after(seen, 1))[0]?.id ?? Infinity;
  }

  /** Greatest id of an event that retention has deleted; 0 if no event was deleted. */
  get expiredUpTo(): number {
    return this.#context.store.read((r) => r.events.expiredUpTo());
  }

  /** Returns the latest events of some types, newest first. @param limit largest number of events. */
  latest(limit: number, types: readonly EventType[]): EventJson[] {
    const last = this.lastId;
    const events = this.#context.store.readCommitted((r) => r.events.latest(limit, types));
    return events.filter((event) => event.id <= last).map((event) => eventJson(event, this.#context));
  }

  /**
   * Returns the events after a cursor, in the order of their ids.
   * @param id cursor: id of the last event that the caller has. @param limit largest number of events.
   * @param types absent: all types. @throws WalletError `events_expired` if events after the cursor were deleted.
   */
  after(id: number, limit: number, types?: readonly EventType[]): EventJson[] {
    const last = this.lastId;
    if (id >= last) return [];
    return this.#context.store.readCommitted((r) => {
      const expired = r.events.expiredUpTo();
      if (id < expired) throw new WalletError({ kind: 'events_expired', oldest: expired });
      return r.events
        .after(id, limit, types)
        .filter((event) => event.id <= last)
        .map((event) => eventJson(event, this.#context));
    });
  }
}
