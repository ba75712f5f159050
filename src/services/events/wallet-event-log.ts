import { CachedRead } from '../../store/cached-read.js';
import { WalletError } from '../../model/wallet-error.js';
import type { EventSubject } from '../../store/tables/events.js';
import { workSlices } from '../../util/event-loop.js';
import type { EventType } from '../../model/events.js';
import type { WalletContext } from '../context/wallet-context.js';
import { eventJson, type EventContext, type EventJson } from './event-json.js';

type Context = EventContext & Pick<WalletContext, 'holding' | 'store'>;

/** Events about a subject, in the order of their ids. */
export interface EventStory {
  readonly events: readonly EventJson[];
  /** True if older events may be missing: they were deleted, or the search ended before it reached them. */
  readonly isCut: boolean;
}

/** Number of events that one turn of the event loop searches: some milliseconds. */
const SEARCHED_AT_ONCE = 4000;
/** Largest number of events that one search looks at. */
const MAX_SEARCHED = 1_000_000;

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

  /**
   * Returns the latest events of some types, newest first, among a few thousand latest events.
   * @param limit largest number of events.
   */
  latest(limit: number, types: readonly EventType[]): EventJson[] {
    const last = this.lastId;
    const events = this.#context.store.readCommitted((r) => r.events.latest(limit, types, SEARCHED_AT_ONCE));
    return events.filter((event) => event.id <= last).map((event) => eventJson(event, this.#context));
  }

  /**
   * Finds the latest events about a subject, in parts between which other requests are answered.
   * @param since time before which there are none [Unix s]. @param limit largest number of events.
   */
  async about(
    subject: EventSubject,
    { since, limit }: { readonly since: number; readonly limit: number },
  ): Promise<EventStory> {
    const { store } = this.#context;
    const found: EventJson[] = [];
    const { above, expired } = store.read((r) => ({
      above: r.eventMarks.upTo(since),
      expired: r.events.expiredUpTo(),
    }));
    let below: number | undefined = this.lastId + 1;
    for (let searched = 0; below !== undefined && searched < MAX_SEARCHED && found.length < limit;) {
      const range: { readonly below: number; readonly above: number } = { below, above };
      const part = await workSlices.run(() =>
        store.readCommitted((r) => r.events.about(subject, range, SEARCHED_AT_ONCE)),
      );
      found.push(...part.events.map((event) => eventJson(event, this.#context)));
      searched += SEARCHED_AT_ONCE;
      below = part.next;
    }
    return {
      events: found.slice(0, limit).reverse(),
      isCut: below !== undefined || found.length > limit || expired > above,
    };
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
