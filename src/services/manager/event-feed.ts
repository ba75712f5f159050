import type { EventType } from '../../model/events.js';
import { WalletError } from '../../model/wallet-error.js';
import type { EventJson } from '../events/event-json.js';
import type { WalletEventLog } from '../events/wallet-event-log.js';

/** Smallest number of events that are read from each wallet in one step. */
const LEAST_PAGE = 16;

/** Request for events. */
export interface EventQuery {
  /** Cursor: only events with greater ids are read. */
  readonly after: number;
  /** Largest number of events. */
  readonly limit: number;
  /** Types of the read events; absent: all types. */
  readonly types?: readonly EventType[];
}

/** Events after a cursor. */
export interface EventPage {
  /** Events in the order of their ids. */
  readonly events: readonly EventJson[];
  /** Cursor after the last of the events. */
  readonly cursor: number;
}

/**
 * Merges the events of several open wallets in the order of their ids, which increase across all wallets of the server.
 */
export class EventFeed {
  readonly #waiting = new Set<() => void>();
  #isClosed = false;
  readonly #mayExist: (id: number) => boolean;

  /** @param mayExist returns false for an id above the ids of all events of the server; absent: ids are not checked. */
  constructor(mayExist: (id: number) => boolean = () => true) {
    this.#mayExist = mayExist;
  }

  /** True once the server stops. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ends all running waits, because events were committed. */
  notify(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Ends all running and later waits, because the server stops. */
  close(): void {
    this.#isClosed = true;
    this.notify();
  }

  /**
   * Resolves when events are committed, the server stops, the signal aborts, or the given time has passed.
   * @param ms longest wait [ms].
   */
  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isClosed || signal?.aborted === true) return resolve();
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** Returns the smallest cursor for which no event of the wallets was deleted yet. */
  oldestCursor(logs: readonly WalletEventLog[]): number {
    return Math.max(0, ...logs.map((log) => log.expiredUpTo));
  }

  /**
   * Reads the events of wallets after a cursor.
   * @throws WalletError `events_expired` if events of a wallet after the cursor were deleted, `events_ahead` for a cursor
   * above the ids of all events of the server.
   */
  read(logs: readonly WalletEventLog[], { after, limit, types }: EventQuery): EventPage {
    if (!this.#mayExist(after)) throw new WalletError({ kind: 'events_ahead' });
    const events: EventJson[] = [];
    let cursor = after;
    while (events.length < limit) {
      const page = this.#readPage(logs, {
        after: cursor,
        limit: limit - events.length,
        ...(types && { types }),
      });
      events.push(...page.events);
      cursor = page.cursor;
      if (page.isLast) break;
    }
    return { events, cursor };
  }

  #readPage(
    logs: readonly WalletEventLog[],
    { after, limit, types }: EventQuery,
  ): EventPage & { isLast: boolean } {
    const fresh = logs.filter(({ lastId }) => lastId > after);
    const size = Math.max(LEAST_PAGE, Math.ceil((2 * limit) / Math.max(1, fresh.length)));
    const most = Math.min(limit, size);
    const latest = Math.max(after, ...fresh.map(({ lastId }) => lastId));
    const pages = fresh.map((log) => log.after(after, most, types));
    // A wallet with a full page may have further events, with ids above the last id of its page.
    const read = Math.min(
      Infinity,
      ...pages.filter(({ length }) => length >= most).map((page) => page.at(-1)?.id ?? Infinity),
    );
    // A cursor above an event that is not shown yet would skip this event.
    const shown = Math.min(Infinity, ...logs.map((log) => log.hiddenAfter(after))) - 1;
    const horizon = Math.min(read, shown);
    const merged = pages
      .flat()
      .filter(({ id }) => id <= horizon)
      .sort((a, b) => a.id - b.id);
    const events = merged.slice(0, limit);
    const isLast = read >= shown && events.length === merged.length;
    const end = Math.max(after, Math.min(latest, shown));
    return { events, isLast, cursor: isLast ? end : (events.at(-1)?.id ?? end) };
  }
}
