import { html, Html, type HtmlValue } from '../html.js';
import { pathOf, type Item } from '../desk/items.js';

/** Writes the name of a wallet; a wallet in memory has an empty name. */
export const nameOf = (name: string): string => (name === '' ? 'Wallet in memory' : name);

export const badge = (kind: 'good' | 'bad' | 'plain', text: HtmlValue): Html =>
  html`<span class="badge ${kind}">${text}</span>`;

/** Writes a time. @param timestamp time in ISO 8601, UTC. */
export const time = (timestamp: string): Html =>
  html`<time datetime="${timestamp}">${timestamp.slice(0, 19).replace('T', ' ')} UTC</time>`;

/** Writes a time. @param seconds Unix time [s]. */
export const timeAt = (seconds: number): Html => time(new Date(seconds * 1000).toISOString());

/** Writes a text of a client, whose direction must not change that of the text around it. */
export const clientText = (text: string): Html => html`<bdi>${text}</bdi>`;

/** Writes a long text without spaces, such as an address or a hash. */
export const wrapped = (text: string): Html => html`<span class="hash">${text}</span>`;

/** Writes a link to the page of a thing. */
export const itemLink = (item: Item, text: string): Html =>
  html`<a href="${pathOf(item)}"><bdi>${text}</bdi></a>`;

/** Writes a link to the page of a wallet. */
export const walletLink = (wallet: string): Html =>
  itemLink({ kind: 'wallet', wallet, id: '' }, nameOf(wallet));

/** Writes a section whose content the script of the page updates. */
export const liveSection = (id: string, title: string, content: HtmlValue): Html =>
  html`<section id="${id}" data-live aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${content}
  </section>`;

/** Writes a fact of a list of definitions. */
export const fact = (name: string, value: HtmlValue): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

/** Writes the field of the support desk, which finds things by their ids. @param text text of the last search. */
export const searchForm = (text = ''): Html =>
  html`<form class="find" method="get" action="/status/find" role="search">
    <label for="q">Find an order, request, payout, payment, address or transaction</label>
    <input
      id="q"
      name="q"
      type="search"
      maxlength="400"
      autocomplete="off"
      spellcheck="false"
      placeholder="Id, reference, hash, address or link"
      value="${text}"
    />
    <button>Find</button>
  </form>`;

/** Content of the head and the header of a page. */
export interface PageFrame {
  readonly title: string;
  /** Text of the search field. */
  readonly search?: string | undefined;
  /** Text beside the heading. */
  readonly aside?: Html;
  /** True for the page whose sections the script updates. */
  readonly isLive?: boolean;
}

/** Writes a page around its main content. */
export const framed = ({ title, search, aside, isLive = false }: PageFrame, main: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/status/status.css" />
        ${isLive ? Html.trusted('<script src="/status/status.js" type="module"></script>') : undefined}
      </head>
      <body>
        <header>
          <p class="home">${isLive ? undefined : html`<a href="/status">Status</a>`}</p>
          <h1>${title}</h1>
          ${aside} ${searchForm(search)}
        </header>
        ${main}
      </body>
    </html> `.text;
