import { readFileSync } from 'node:fs';
import {
  ClientRates,
  type ClientLimits,
  type RateRule,
  CountedConnections,
} from '../../http/server/connection-limits.js';
import type { PublicSite, SiteAnswer, SiteRequest, SiteStream } from '../../http/pages/public-site.js';
import { faultOf } from '../../model/wallet-error.js';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import { unixSeconds, type TimeOfDay } from '../../util/clock.js';
import { PACKAGE_ROOT } from '../../util/own-package.js';
import type { Merchant } from './merchant.js';
import { busyPage, notFoundPage, type PageSetting } from './pay-frame.js';
import { payPage } from './pay-page.js';
import { ADDRESS_FIELD, type GivenAddress } from './pay-refund.js';
import type { PayStreams } from './pay-streams.js';
import { chooseTexts, type PayTexts } from './pay-texts.js';
import { payView } from './pay-view.js';
import type { FoundRequest, TokenLookup } from './token-lookup.js';

/**
 * Returns the headers of every answer. The headers allow only files of this site and no inline script or style, and keep
 * the token from referrers, caches and search engines. Only pages of listed origins may show a page in a frame.
 * @param embedOrigins origins of these pages.
 */
export function payHeaders(embedOrigins: readonly string[] = []): PublicSite['headers'] {
  const ancestors = embedOrigins.length === 0 ? "'none'" : embedOrigins.join(' ');
  return {
    'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors ${ancestors}`,
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex, nofollow',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    // The header cannot list origins.
    ...(embedOrigins.length === 0 ? { 'X-Frame-Options': 'DENY' } : {}),
    'Cross-Origin-Resource-Policy': 'same-origin',
    Vary: 'Accept-Language',
  };
}

/** Headers of the script for pages of shops, which is public: a page compares it with its hash, which needs CORS. */
const EMBED_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cache-Control': 'public, max-age=3600',
};

/** Headers of the logo: a picture can hold scripts, which nothing may run. The page names each version by another query. */
const LOGO_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'Cache-Control': 'public, max-age=86400, immutable',
};

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

/** Texts for the faults of an address for refunds. */
const FAULTS: Readonly<Record<string, GivenAddress['fault']>> = {
  wrong_address: 'wrongAddress',
  bad_payment_request: 'ownAddress',
};

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const FILES = new URL('pages/', PACKAGE_ROOT);

const file = (name: string, type: string, headers: SiteAnswer['headers'] = {}): SiteAnswer => ({
  ...{ status: 200, type, headers },
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
  /** Returns the merchant that the pages name; undefined: none. */
  readonly merchant?: () => Merchant | undefined;
  /** Origins whose pages may show a pay page in a frame; absent: none. */
  readonly embedOrigins?: readonly string[];
  /** Limits of the pay pages; absent: {@link PAY_LIMITS}. */
  readonly limits?: PayLimits;
}

/** Site of the pay pages: `/pay/<token>`, its stream of changes, and their files. Every other path is not found. */
export class PaySite implements PublicSite {
  readonly headers: PublicSite['headers'];
  readonly #parts: PaySiteParts;
  readonly #limits: PayLimits;
  readonly #requests: ClientRates;
  readonly #searches: ClientRates;
  readonly #openStreams: CountedConnections;
  readonly #files: ReadonlyMap<string, SiteAnswer>;

  constructor(parts: PaySiteParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? PAY_LIMITS;
    this.#requests = new ClientRates(this.#limits.requests);
    this.#searches = new ClientRates(this.#limits.searches);
    this.#openStreams = new CountedConnections({ all: MAX_STREAMS, each: this.#limits.streams });
    this.headers = payHeaders(parts.embedOrigins);
    const isEmbedded = (parts.embedOrigins ?? []).length > 0;
    this.#files = new Map([
      ['/pay/pay.css', file('pay.css', 'text/css; charset=utf-8')],
      ['/pay/pay.js', file('pay.js', SCRIPT)],
      ...(isEmbedded ? [['/pay/embed.js', file('embed.js', SCRIPT, EMBED_HEADERS)] as const] : []),
    ]);
  }

  async answer({ path, address, languages }: SiteRequest): Promise<SiteAnswer | SiteStream> {
    const wait = this.#requests.take(address);
    if (wait > 0) return this.#busy(chooseTexts(languages), 429, wait);
    const known = this.#file(path);
    if (known !== undefined) return known;
    const found = await this.#found({ path, address, languages });
    if ('status' in found) return found;
    const texts = chooseTexts(languages, found.view.request.locale);
    return path.endsWith('/events') ? this.#stream(found, address, texts) : this.#page(found, texts);
  }

  /** Receives the address for refunds of a request that asks for one. */
  async submit(
    { path, address, languages }: SiteRequest,
    fields: URLSearchParams,
  ): Promise<SiteAnswer | undefined> {
    const wait = this.#requests.take(address);
    if (wait > 0) return this.#busy(chooseTexts(languages), 429, wait);
    if (path.endsWith('/events')) return undefined;
    const found = await this.#found({ path, address, languages });
    if ('status' in found) return found;
    const { request, refunds } = found.view;
    if (!request.asksRefundAddress || refunds.length > 0) return undefined;
    const text = (fields.get(ADDRESS_FIELD) ?? '').replace(/\s/g, '');
    try {
      found.wallet.refunds.giveAddress(request.token, text);
    } catch (error) {
      const fault = FAULTS[faultOf(error)?.kind ?? ''];
      if (fault === undefined) throw error;
      const texts = chooseTexts(languages, request.locale);
      return { ...this.#page(found, texts, { text, fault }), status: 400 };
    }
    // The page shows the address as it was stored. The path is relative, because a proxy may serve it in any folder.
    const location = path.slice('/pay/'.length);
    return { status: 303, type: HTML, body: '', headers: { Location: location } };
  }

  /** Finds the request that a path names, or the answer if there is none. */
  async #found({ path, address, languages }: SiteRequest): Promise<FoundRequest | SiteAnswer> {
    const [, token] = /^\/pay\/([^/]+)(?:\/events)?$/.exec(path) ?? [];
    const texts = chooseTexts(languages);
    if (token === undefined) return this.#notFound(texts);
    if (this.#parts.isCutOff()) return this.#busy(texts, 503);
    return this.#find(token, address, texts);
  }

  get #setting(): PageSetting {
    return { merchant: this.#parts.merchant?.(), embedOrigins: this.#parts.embedOrigins };
  }

  /** Returns a file of the pages; undefined for any other path. */
  #file(path: string): SiteAnswer | undefined {
    const logo = path === '/pay/logo' ? this.#parts.merchant?.()?.logo : undefined;
    if (logo === undefined) return this.#files.get(path);
    return { status: 200, type: logo.type, body: logo.bytes, headers: LOGO_HEADERS };
  }

  /** Returns the request of a token, or the answer if there is no request. */
  async #find(token: string, address: string, texts: PayTexts): Promise<FoundRequest | SiteAnswer> {
    const { lookup, isOpening } = this.#parts;
    const known = lookup.known(token);
    if (known !== undefined) return known;
    if (lookup.isBusy) return this.#busy(texts, 503);
    const wait = this.#searches.take(address);
    if (wait > 0) return this.#busy(texts, 429, wait);
    const found = await lookup.search(token);
    return found ?? (isOpening() ? this.#busy(texts, 503) : this.#notFound(texts));
  }

  #page({ view }: FoundRequest, texts: PayTexts, given?: GivenAddress): SiteAnswer {
    const { network, clock } = this.#parts;
    const now = unixSeconds(clock);
    const body = payPage(payView(view, now, network), texts, now, { ...this.#setting, given });
    return { status: 200, type: HTML, body };
  }

  #stream(found: FoundRequest, address: string, texts: PayTexts): SiteAnswer | SiteStream {
    const release = this.#openStreams.take(address);
    if (typeof release !== 'function') return this.#busy(texts, 503);
    const { source, end } = this.#parts.streams.open(found, texts);
    return {
      source,
      end() {
        release();
        end();
      },
    };
  }

  #notFound(texts: PayTexts): SiteAnswer {
    return { status: 404, type: HTML, body: notFoundPage(texts, this.#setting) };
  }

  /** Returns the answer to a client that must wait. @param wait time until a request is allowed [ms]. */
  #busy(texts: PayTexts, status: number, wait = RETRY_SECONDS * 1000): SiteAnswer {
    const seconds = Math.max(1, Math.ceil(wait / 1000));
    return {
      ...{ status, type: HTML, body: busyPage(texts, seconds, this.#setting) },
      headers: { 'Retry-After': String(seconds) },
    };
  }
}
