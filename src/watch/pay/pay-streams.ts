import type { EventSource, StreamedEvent } from '../../http/message/event-stream.js';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import type { EventJson } from '../../services/events/event-json.js';
import { EventFeed } from '../../services/manager/event-feed.js';
import { equalBytes } from '../../util/bytes.js';
import { unixSeconds, type TimeOfDay } from '../../util/clock.js';
import { workSlices } from '../../util/event-loop.js';
import { EVENT_TYPES, type EventType } from '../../model/events.js';
import { readable } from '../wallet-facts.js';
import { livePart } from './pay-page.js';
import type { PayTexts } from './pay-texts.js';
import { payView, type PayView } from './pay-view.js';
import { readRequest, type FoundRequest, type PayWallet } from './token-lookup.js';

export interface PayStreamParts {
  readonly wallets: () => readonly PayWallet[];
  readonly network: NetworkType;
  readonly clock: TimeOfDay;
  /** True while the data about the wallets may be outdated, so that streams end. */
  readonly isCutOff: () => boolean;
  readonly onBug: (error: unknown) => void;
}

/** Number of events that are read in one step; if there are more events, all open pages of the wallet are read anew. */
const MAX_EVENTS = 256;

/** Types of events that change pay pages. */
const TYPES: readonly EventType[] = EVENT_TYPES.filter((type) => /^(?:payment|request|wallet)\./.test(type));

/** An open pay page: one request with the streams of its readers. */
interface OpenPage {
  readonly token: Uint8Array;
  readonly wallet: string;
  /** Place of the request's address in the wallet: account and minor index. */
  readonly place: string;
  readonly feed: EventFeed;
  view: PayView;
  /** Changing content by language, as JSON without the time left. */
  readonly texts: Map<PayTexts, string>;
  readers: number;
}

/** Open pages of one wallet. */
interface WatchedWallet {
  /** Id of the last event that was read. */
  cursor: number;
  hasEvents: boolean;
  /** Pages by the place of their address. */
  readonly pages: Map<string, OpenPage>;
}

const placeOf = (major: unknown, minor: unknown): string => `${String(major)}/${String(minor)}`;

/** Returns the place of the address that an event names; undefined if the event names no address. */
function placeIn({ data: { subaddr_index: index } }: EventJson): string | undefined {
  if (typeof index !== 'object' || index === null || !('major' in index) || !('minor' in index))
    return undefined;
  return placeOf(index['major'], index['minor']);
}

/**
 * Streams the changes of open pay pages. Each wallet has one reader of its events, which finds the pages that changed;
 * each page is read once for all of its streams, and written once for each language.
 */
export class PayStreams {
  readonly #parts: PayStreamParts;
  readonly #wallets = new Map<string, WatchedWallet>();
  readonly #changed = new Set<OpenPage>();
  #isUpdating = false;
  #isClosed = false;

  constructor(parts: PayStreamParts) {
    this.#parts = parts;
  }

  /** Opens a stream of the changes of a page, which begins with its state. @returns the stream, and its end. */
  open({ wallet, view }: FoundRequest, texts: PayTexts): { source: EventSource; end: () => void } {
    const { network, clock } = this.#parts;
    const { request } = view;
    const place = placeOf(request.subaddress.major, request.subaddress.minor);
    const watched = this.#watched(wallet);
    const page = watched.pages.get(place) ?? {
      ...{ token: request.token, wallet: wallet.name, place, feed: new EventFeed() },
      view: payView(view, unixSeconds(clock), network),
      texts: new Map<PayTexts, string>(),
      readers: 0,
    };
    watched.pages.set(place, page);
    page.readers += 1;
    // The page may have changed since another reader opened it, without an event that is handled yet.
    this.#change(page);
    let sent: string | undefined;
    const next = (): StreamedEvent[] => {
      const text = this.#textOf(page, texts);
      if (text === sent) return [];
      sent = text;
      const data = `${text.slice(0, -1)},${this.#timeOf(page)}}`;
      return [{ id: 0, type: 'update', data }];
    };
    const isClosed = (): boolean => this.#isClosed || this.#parts.isCutOff();
    return {
      source: {
        next,
        wait: (ms, signal) => page.feed.wait(ms, signal),
        get isClosed() {
          return isClosed();
        },
      },
      end: () => this.#leave(page),
    };
  }

  /** Must be called after each commit with events of a wallet. */
  onEvents(name: string): void {
    const watched = this.#wallets.get(name);
    if (watched === undefined) return;
    watched.hasEvents = true;
    this.#update();
  }

  /** Must be called when a wallet has scanned blocks. */
  onBlocks(name: string): void {
    for (const page of this.#wallets.get(name)?.pages.values() ?? [])
      if (page.view.awaitsBlock || !page.view.isSynced) this.#change(page);
  }

  /** Must be called when a request was cancelled or extended. */
  onRequest(name: string, token: Uint8Array): void {
    for (const page of this.#wallets.get(name)?.pages.values() ?? [])
      if (equalBytes(page.token, token)) this.#change(page);
  }

  /** Must be called when the streams may have to end, because this process is cut off. */
  onCutOff(): void {
    for (const { pages } of this.#wallets.values()) for (const { feed } of pages.values()) feed.notify();
  }

  /** Ends all streams. */
  close(): void {
    this.#isClosed = true;
    for (const { pages } of this.#wallets.values()) for (const { feed } of pages.values()) feed.close();
  }

  #watched(wallet: PayWallet): WatchedWallet {
    const known = this.#wallets.get(wallet.name);
    if (known !== undefined) return known;
    const cursor = readable(() => wallet.eventLog.lastId) ?? 0;
    const watched = { cursor, hasEvents: false, pages: new Map<string, OpenPage>() };
    this.#wallets.set(wallet.name, watched);
    return watched;
  }

  #leave(page: OpenPage): void {
    page.readers -= 1;
    const watched = this.#wallets.get(page.wallet);
    if (page.readers > 0 || watched === undefined) return;
    this.#changed.delete(page);
    if (watched.pages.get(page.place) === page) watched.pages.delete(page.place);
    if (watched.pages.size === 0) this.#wallets.delete(page.wallet);
  }

  /** Returns the changing content of a page as JSON in one line. */
  #textOf({ texts: written, view }: OpenPage, texts: PayTexts): string {
    const known = written.get(texts);
    if (known !== undefined) return known;
    const { state, title, status, receipt, uri } = livePart(view, texts);
    const text = JSON.stringify({
      ...{ state, title, status, receipt },
      uri: uri ?? null,
      expires: view.expires ?? null,
    });
    written.set(texts, text);
    return text;
  }

  /** Returns the member of the JSON that names the time left. */
  #timeOf({ view: { expires, demand } }: OpenPage): string {
    if (expires === undefined || demand === undefined) return '"left":null';
    return `"left":${Math.max(0, expires - unixSeconds(this.#parts.clock))}`;
  }

  #change(page: OpenPage): void {
    this.#changed.add(page);
    this.#update();
  }

  /** Reads changed pages soon, once for all changes in this turn of the event loop. */
  #update(): void {
    if (this.#isUpdating || this.#isClosed) return;
    this.#isUpdating = true;
    setImmediate(() => {
      this.#updateAll()
        .catch(this.#parts.onBug)
        .finally(() => {
          this.#isUpdating = false;
          if (this.#changed.size > 0 || this.#withEvents().length > 0) this.#update();
        });
    });
  }

  #withEvents(): [string, WatchedWallet][] {
    return [...this.#wallets].filter(([, { hasEvents }]) => hasEvents);
  }

  async #updateAll(): Promise<void> {
    const open = new Map(this.#parts.wallets().map((wallet) => [wallet.name, wallet]));
    for (const [name, watched] of this.#withEvents()) {
      watched.hasEvents = false;
      const wallet = open.get(name);
      if (wallet !== undefined) this.#readEvents(wallet, watched);
    }
    const changed = [...this.#changed];
    this.#changed.clear();
    await workSlices.map(changed, (page) => {
      const wallet = open.get(page.wallet);
      if (wallet !== undefined) this.#read(page, wallet);
    });
  }

  /** Finds the pages that the latest events of a wallet change. */
  #readEvents({ eventLog }: PayWallet, watched: WatchedWallet): void {
    const last = readable(() => eventLog.lastId);
    const events = readable(() => eventLog.after(watched.cursor, MAX_EVENTS, TYPES));
    watched.cursor = Math.max(watched.cursor, last ?? 0);
    const isWhole = events !== undefined && events.length < MAX_EVENTS;
    const places = isWhole ? events.map(placeIn) : [undefined];
    for (const place of new Set(places)) {
      // An event without an address, such as a reorganisation, may change every page.
      const pages = place === undefined ? watched.pages.values() : [watched.pages.get(place)];
      for (const page of pages) if (page !== undefined) this.#changed.add(page);
    }
  }

  /** Reads a page anew, and wakes its readers if it differs. */
  #read(page: OpenPage, wallet: PayWallet): void {
    const { network, clock } = this.#parts;
    const found = readRequest(wallet, page.token);
    // A wallet that was closed meanwhile has no request: its page is not changed.
    if (found === undefined) return;
    page.view = payView(found.view, unixSeconds(clock), network);
    page.texts.clear();
    page.feed.notify();
  }
}
