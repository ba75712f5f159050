import { encode } from 'uqr';
import { html, Html, type HtmlValue } from '../html.js';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import type { Amount } from '../../util/amount.js';
import type { PayTexts } from './pay-texts.js';
import type { Demand, PayState, PayView } from './pay-view.js';

/** Width of the quiet zone around a QR code [modules]. Source: ISO/IEC 18004, 4 modules. */
const QUIET_ZONE = 4;
/** Number of codes that are kept: encoding takes some milliseconds, and pages are loaded again and again. */
const MAX_KEPT = 256;

const kept = new Map<string, Html>();

/** Writes the dark modules of a row as a path: one rectangle for each run of dark modules. */
const rowPath = (row: readonly boolean[], y: number): string => {
  let path = '';
  for (let x = 0; x < row.length; x++) {
    if (row[x] !== true) continue;
    let end = x + 1;
    while (row[end] === true) end++;
    path += `M${x} ${y}h${end - x}v1h-${end - x}z`;
    x = end;
  }
  return path;
};

/** Draws the QR code of a text as SVG: dark modules on a light ground, which scanners need, also in dark mode. */
export function qrCode(text: string): Html {
  const code = kept.get(text) ?? drawn(text);
  kept.delete(text);
  kept.set(text, code);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return code;
}

function drawn(text: string): Html {
  const { size, data } = encode(text, { border: QUIET_ZONE });
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <rect fill="#fff" width="${size}" height="${size}" />
    <path fill="#000" d="${data.map(rowPath)}" />
  </svg>`;
}

/** Part of a pay page that changes while it is open, in one language. */
export interface LivePart {
  readonly state: PayState;
  readonly title: string;
  /** HTML of the state. */
  readonly status: string;
  /** URI of the payment that is to be made; the page reads its section of the payment anew when it changes. */
  readonly uri: string | undefined;
}

/** Time from which the remaining time is shown in days [s]. */
const DAYS_FROM = 2 * 86_400;
const DAY = 86_400;
/**
 * Interval at which a page reloads itself in a browser without JavaScript [s]; a longer interval once the request is
 * paid.
 */
const RELOAD_SECONDS = { open: 15, ended: 60 };

/** Writes an amount in the notation that wallets accept, in all languages: with a point, without trailing zeros. */
const digits = (value: Amount): string => formatCoins(value).replace(/\.?0+$/, '');
const coins = (value: Amount): string => `${digits(value)} XMR`;

/** Outlines of the icons, 24 units wide. */
const PATHS = {
  wait: 'M12 7v5l3.5 2',
  done: 'M7.5 12.5l3 3 6-6.5',
  stop: 'M12 7.5v5.5M12 16.4v.1',
};

const ICONS: Readonly<Record<PayState, keyof typeof PATHS>> = {
  ...{ waiting: 'wait', partial: 'stop', received: 'done', seen: 'wait', confirming: 'wait' },
  ...{ paid: 'done', overpaid: 'done', expired: 'stop' },
};

const icon = (state: PayState): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="9.5" />
    <path d="${PATHS[ICONS[state]]}" />
  </svg>`;

const isEnded = (state: PayState): boolean => state === 'paid' || state === 'overpaid' || state === 'expired';

/** Writes the time left as h:mm:ss or mm:ss, or in days. @param seconds time [s]. */
export function timeText(seconds: number, texts: PayTexts): string {
  const left = Math.max(0, seconds);
  if (left >= DAYS_FROM) return texts.days(Math.floor(left / DAY));
  const parts = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
  const [first, ...rest] = parts[0] === 0 ? parts.slice(1) : parts;
  return [String(first), ...rest.map((part) => String(part).padStart(2, '0'))].join(':');
}

function detail({ state, missing, excess }: PayView, texts: PayTexts): string | undefined {
  if (state === 'partial') return texts.sendMissing(coins(missing));
  if (state === 'overpaid') return texts.tooMuch(coins(excess));
  return state === 'confirming' ? undefined : texts.details[state];
}

function hints({ state, received, late, locked, isSynced }: PayView, texts: PayTexts): string[] {
  return [
    ...(state === 'expired' && received > 0n ? [texts.tooLittle(coins(received))] : []),
    ...(late > 0n ? [texts.tooLate(coins(late))] : []),
    ...(locked > 0n ? [texts.lockedPayment(coins(locked))] : []),
    ...(isSynced || isEnded(state) ? [] : [texts.notSynced]),
  ];
}

function progress({ state, confirmations, needed }: PayView, texts: PayTexts): Html | undefined {
  if ((state !== 'seen' && state !== 'confirming' && state !== 'received') || needed === 0) return undefined;
  return html`<p class="count">${texts.confirmations(confirmations, needed)}</p>
    <progress max="${needed}" value="${confirmations}" aria-label="${texts.confirmationsName}"></progress>`;
}

function sums({ state, amount, received, unmined, missing }: PayView, texts: PayTexts): Html | undefined {
  if (received === 0n) return undefined;
  const row = (name: string, value: Amount): Html =>
    html`<div>
      <dt>${name}</dt>
      <dd>${coins(value)}</dd>
    </div>`;
  const isOpen = state === 'partial' || state === 'expired';
  return html`<dl>
    ${row(texts.received, received)} ${unmined > 0n ? row(texts.unmined, unmined) : undefined}
    ${isOpen && amount !== undefined && missing > 0n ? row(texts.missing, missing) : undefined}
  </dl>`;
}

const status = (view: PayView, texts: PayTexts): Html => {
  const text = detail(view, texts);
  return html`<p class="state">${icon(view.state)}<strong>${texts.headings[view.state]}</strong></p>
    ${text === undefined ? undefined : html`<p>${text}</p>`} ${progress(view, texts)} ${sums(view, texts)}
    ${hints(view, texts).map((hint) => html`<p class="hint">${hint}</p>`)}`;
};

const heading = ({ amount }: PayView, texts: PayTexts): string =>
  amount === undefined ? texts.anyAmount : coins(amount);

/** Writes the part of a pay page that changes while it is open. */
export const livePart = (view: PayView, texts: PayTexts): LivePart => ({
  state: view.state,
  title: `${texts.headings[view.state]} – ${heading(view, texts)}`,
  status: status(view, texts).text,
  uri: view.demand?.uri,
});

/** Names of a value that the page copies. */
interface CopyNames {
  readonly id: string;
  readonly name: string;
  /** Accessible name of the button of the field. */
  readonly action: string;
}

/** Writes a value with its button, which only the script of the page shows. */
const copyField = ({ id, name, action }: CopyNames, value: string, shown: HtmlValue, texts: PayTexts): Html =>
  html`<div class="field">
    <p class="name">${name}</p>
    <p class="value">${shown}</p>
    <button type="button" id="${id}" class="copy" data-copy="${value}" aria-label="${action}">
      <span>${texts.copy}</span><span hidden>${texts.copied}</span>
    </button>
  </div>`;

/** Writes the first and last characters of an address more clearly: payers compare these characters. */
const addressText = (address: string): Html =>
  html`<code><b>${address.slice(0, 6)}</b>${address.slice(6, -6)}<b>${address.slice(-6)}</b></code>`;

const payment = ({ address, amount, uri, codeUri }: Demand, view: PayView, texts: PayTexts): Html =>
  html`<div class="code" role="img" aria-label="${texts.code}">${qrCode(codeUri)}</div>
    <p><a id="open" class="button" href="${uri}">${texts.openWallet}</a></p>
    ${
      amount === undefined
        ? undefined
        : copyField(
            {
              id: 'copy-amount',
              name: view.state === 'partial' ? texts.missingAmount : texts.amount,
              action: texts.copyAmount,
            },
            digits(amount),
            coins(amount),
            texts,
          )
    }
    ${copyField(
      { id: 'copy-address', name: texts.address, action: texts.copyAddress },
      address,
      addressText(address),
      texts,
    )}`;

/** Writes the time left, which the script of the page counts down. */
const timeLeft = ({ expires, demand }: PayView, now: number, texts: PayTexts): Html => {
  const left = expires === undefined || demand === undefined ? undefined : Math.max(0, expires - now);
  return html`<p id="time" ${left === undefined ? html`hidden` : undefined}>
    ${texts.timeLeft}
    <span role="timer" data-left="${left}">${left === undefined ? undefined : timeText(left, texts)}</span>
  </p>`;
};

interface Frame {
  readonly title: string;
  readonly state: string;
  /** Interval at which the page reloads itself [s]; absent: never. */
  readonly reload?: number;
  readonly hasScript: boolean;
}

/** Writes a page with its head. The links are relative, because a proxy may serve the pages under any path. */
const frame = ({ title, state, reload, hasScript }: Frame, texts: PayTexts, content: Html): string => {
  const refresh = html`<meta http-equiv="refresh" content="${reload}" />`;
  return html`<!doctype html>
    <html lang="${texts.lang}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="pay.css" />
        ${hasScript ? html`<script src="pay.js" type="module"></script>` : undefined}
        ${reload === undefined ? undefined : hasScript ? html`<noscript>${refresh}</noscript>` : refresh}
      </head>
      <body data-state="${state}">
        ${content}
      </body>
    </html> `.text;
};

/**
 * Writes the pay page of a request. The page works without its script, by reloading itself.
 * @param now time [Unix s].
 */
export function payPage(view: PayView, texts: PayTexts, now: number): string {
  const live = livePart(view, texts);
  const { state, title } = live;
  return frame(
    { title, state, reload: isEnded(state) ? RELOAD_SECONDS.ended : RELOAD_SECONDS.open, hasScript: true },
    texts,
    html`<main>
      <header>
        ${view.label === '' ? undefined : html`<p class="label">${view.label}</p>`}
        <h1>${heading(view, texts)}</h1>
        ${timeLeft(view, now, texts)}
      </header>
      <div id="status" role="status">${Html.trusted(live.status)}</div>
      <p id="offline" class="hint" role="alert" hidden>${texts.offline}</p>
      <div id="pay" data-uri="${live.uri}">
        ${view.demand === undefined ? undefined : payment(view.demand, view, texts)}
      </div>
      ${
        view.returnUrl === undefined
          ? undefined
          : html`<p>
              <a id="back" class="button" href="${view.returnUrl}" rel="noreferrer">${texts.back}</a>
            </p>`
      }
      <p id="said" role="status"></p>
      <noscript><p class="hint">${texts.reloads}</p></noscript>
    </main>`,
  );
}

const notice = (heading: string, text: string): Html =>
  html`<main>
    <header>
      <h1>${heading}</h1>
      <p>${text}</p>
    </header>
  </main>`;

/** Writes the page for every path that names no valid request. */
export const notFoundPage = (texts: PayTexts): string =>
  frame(
    { title: texts.notFound, state: 'none', hasScript: false },
    texts,
    notice(texts.notFound, texts.notFoundHint),
  );

/**
 * Writes the page for a request that cannot be answered now.
 * @param reload interval at which the page reloads itself [s].
 */
export const busyPage = (texts: PayTexts, reload: number): string =>
  frame(
    { title: texts.busy, state: 'none', reload, hasScript: false },
    texts,
    notice(texts.busy, texts.busyHint),
  );
