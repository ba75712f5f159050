import { readFileSync } from 'node:fs';
import {
  ClientRates,
  type ClientLimits,
  type RateRule,
  CountedConnections,
} from '../../http/server/connection-limits.js';
import type { PageAnswer } from '../../http/pages/pages.js';
import type { PublicSite, SiteRequest, SiteStream } from '../../http/pages/public-site.js';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import { unixSeconds, type TimeOfDay } from '../../util/clock.js';
import { PACKAGE_ROOT } from '../../util/own-package.js';
import { busyPage, notFoundPage, payPage } from './pay-page.js';
import type { PayStreams } from './pay-streams.js';
import { payView } from './pay-view.js';
import type { FoundRequest, TokenLookup } from './token-lookup.js';
import { GERMAN, ENGLISH, type PayTexts } from './pay-texts.js';

/**
 * Headers of every answer. The headers allow only files of this site, no inline script or style and no frame around a
 * page, and keep the token from referrers, caches and search engines.
 */
export const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
  Vary: 'Accept-Language',
} as const;

/** Limits of the pay pages. Limits of private addresses hold for all clients of a reverse proxy together. */
export interface PayLimits {
  readonly requests: ClientLimits<RateRule>;
  /** Limits of requests with tokens that are found only by a search through all wallets. */
  readonly searches: ClientLimits<RateRule>;
  /** Streams at a time. */
  readonly streams: ClientLimits<number>;
}

const MINUTE = 60;

export const PAY_LIMITS: PayLimits = {
  requests: {
    public: { requests: 120, seconds: MINUTE },
    private: { requests: 6000, seconds: MINUTE },
  },
  searches: {
    public: { requests: 20, seconds: MINUTE },
    private: { requests: 600, seconds: MINUTE },
  },
  streams: { public: 8, private: 2000 },
};

/** Largest number of streams of the clients of this machine, and of all other clients together. */
const MAX_STREAMS = 2000;
/** Time after which a busy page reloads itself, and a client may open a stream again [s]. */
const RETRY_SECONDS = 10;

const HTML = 'text/html; charset=utf-8';
const FILES = new URL('pages/', PACKAGE_ROOT);

const file = (name: string, type: string): PageAnswer => ({
  ...{ status: 200, type },
  body: readFileSync(new URL(name, FILES), 'utf8'),
});

export interface PaySiteParts {
  readonly lookup: TokenLookup;
  readonly streams: PayStreams;
  readonly network: NetworkType;
  readonly clock: TimeOfDay;
  /**
   * True while wallets are about to be opened, or are being opened: the requests of these wallets cannot be found yet.
   */
  readonly isOpening: () => boolean;
  /**
   * True while another process may have taken the wallets over unnoticed, so that the data in this process may be
   * outdated.
   */
  readonly isCutOff: () => boolean;
  /** Limits of the pay pages; absent: {@link PAY_LIMITS}. */
  readonly limits?: PayLimits;
}

/** Site of the pay pages: `/pay/<token>`, its stream of changes, and their files. Every other path is not found. */
export class PaySite implements PublicSite {
  readonly headers = HEADERS;
  readonly #parts: PaySiteParts;
  readonly #limits: PayLimits;
  readonly #requests: ClientRates;
  readonly #searches: ClientRates;
  readonly #openStreams: CountedConnections;
  readonly #files: ReadonlyMap<string, PageAnswer>;

  constructor(parts: PaySiteParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? PAY_LIMITS;
    this.#requests = new ClientRates(this.#limits.requests);
    this.#searches = new ClientRates(this.#limits.searches);
    this.#openStreams = new CountedConnections({ all: MAX_STREAMS, each: this.#limits.streams });
    this.#files = new Map([
      ['/pay/pay.css', file('pay.css', 'text/css; charset=utf-8')],
      ['/pay/pay.js', file('pay.js', 'text/javascript; charset=utf-8')],
    ]);
  }

  async answer({ path, address, languages }: SiteRequest): Promise<PageAnswer | SiteStream> {
    const texts = chooseTexts(languages);
    const wait = this.#requests.take(address);
    if (wait > 0) return busy(texts, 429, wait);
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const [, token, events] = /^\/pay\/([^/]+)(\/events)?$/.exec(path) ?? [];
    if (token === undefined) return notFound(texts);
    if (this.#parts.isCutOff()) return busy(texts, 503);
    const found = await this.#find(token, address, texts);
    if ('status' in found) return found;
    return events === undefined ? this.#page(found, texts) : this.#stream(found, address, texts);
  }

  /** Returns the request of a token, or the answer if there is no request. */
  async #find(token: string, address: string, texts: PayTexts): Promise<FoundRequest | PageAnswer> {
    const { lookup, isOpening } = this.#parts;
    const known = lookup.known(token);
    if (known !== undefined) return known;
    if (lookup.isBusy) return busy(texts, 503);
    const wait = this.#searches.take(address);
    if (wait > 0) return busy(texts, 429, wait);
    const found = await lookup.search(token);
    return found ?? (isOpening() ? busy(texts, 503) : notFound(texts));
  }

  #page({ view }: FoundRequest, texts: PayTexts): PageAnswer {
    const { network, clock } = this.#parts;
    const now = unixSeconds(clock);
    return { status: 200, type: HTML, body: payPage(payView(view, now, network), texts, now) };
  }

  #stream(found: FoundRequest, address: string, texts: PayTexts): PageAnswer | SiteStream {
    const release = this.#openStreams.take(address);
    if (typeof release !== 'function') return busy(texts, 503);
    const { source, end } = this.#parts.streams.open(found, texts);
    return {
      source,
      end() {
        release();
        end();
      },
    };
  }
}

const notFound = (texts: PayTexts): PageAnswer => ({ status: 404, type: HTML, body: notFoundPage(texts) });

/** Returns the answer to a client that must wait. @param wait time until a request is allowed [ms]. */
const busy = (texts: PayTexts, status: number, wait = RETRY_SECONDS * 1000): PageAnswer => {
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  return {
    ...{ status, type: HTML, body: busyPage(texts, seconds) },
    headers: { 'Retry-After': String(seconds) },
  };
};

const ALL: readonly PayTexts[] = [ENGLISH, GERMAN];

/** Largest number of languages of a header that are read. */
const MAX_LANGUAGES = 20;

/**
 * Chooses the texts by the header `Accept-Language`; English texts if the header prefers no available language. Source:
 * RFC 9110, section 12.5.4.
 */
export function chooseTexts(header = ''): PayTexts {
  let chosen = ENGLISH;
  let best = 0;
  for (const item of header.split(',', MAX_LANGUAGES)) {
    const [, language = '', quality = '1'] =
      /^\s*([a-z]{1,8})(?:-[a-z\d-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i.exec(item) ?? [];
    const texts = ALL.find(({ lang }) => lang === language.toLowerCase());
    if (texts === undefined || Number(quality) <= best) continue;
    chosen = texts;
    best = Number(quality);
  }
  return chosen;
}
