import { html, type Html } from '../html.js';
import type { Merchant } from './merchant.js';
import type { PayTexts } from './pay-texts.js';

/** Settings of the site that every page shows or needs. */
export interface PageSetting {
  readonly merchant?: Merchant | undefined;
  /** Origins whose pages may show a pay page in a frame. */
  readonly embedOrigins?: readonly string[] | undefined;
}

/** Page with its head. */
export interface Frame {
  readonly title: string;
  readonly state: string;
  /** Interval at which the page reloads itself [s]; absent: never. */
  readonly reload?: number;
  readonly hasScript: boolean;
  readonly texts: PayTexts;
  readonly setting: PageSetting;
}

const banner = ({ name, logo }: Merchant): Html =>
  html`<div class="merchant">
    ${logo === undefined ? undefined : html`<img src="logo?${logo.version}" alt="" />`}
    <p>${name}</p>
  </div>`;

function footer({ contact, terms }: Merchant, texts: PayTexts): Html | undefined {
  if (contact === undefined && terms === undefined) return undefined;
  return html`<footer>
    ${
      contact === undefined
        ? undefined
        : html`<p>
            ${texts.text('contact')}:
            <a href="${contact.url}" target="_blank" rel="noreferrer"><bdi>${contact.text}</bdi></a>
          </p>`
    }
    ${
      terms === undefined
        ? undefined
        : html`<p><a href="${terms}" target="_blank" rel="noreferrer">${texts.text('terms')}</a></p>`
    }
  </footer>`;
}

/** Writes a page with its head. The links are relative, because a proxy may serve the pages under any path. */
export function framed({ title, state, reload, hasScript, texts, setting }: Frame, content: Html): string {
  const { merchant, embedOrigins = [] } = setting;
  const refresh = html`<meta http-equiv="refresh" content="${reload}" />`;
  return html`<!doctype html>
    <html lang="${texts.lang}" dir="${texts.direction}">
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
      <body
        data-state="${state}"
        ${embedOrigins.length === 0 ? undefined : html`data-embed="${embedOrigins.join(' ')}"`}
      >
        <main>${merchant && banner(merchant)} ${content} ${merchant && footer(merchant, texts)}</main>
      </body>
    </html> `.text;
}

const notice = (heading: string, text: string): Html =>
  html`<header>
    <h1>${heading}</h1>
    <p>${text}</p>
  </header>`;

/** Writes the page for every path that names no valid request. */
export const notFoundPage = (texts: PayTexts, setting: PageSetting = {}): string =>
  framed(
    { title: texts.text('notFound'), state: 'none', hasScript: false, texts, setting },
    notice(texts.text('notFound'), texts.text('notFoundHint')),
  );

/**
 * Writes the page for a request that cannot be answered now.
 * @param reload interval at which the page reloads itself [s].
 */
export const busyPage = (texts: PayTexts, reload: number, setting: PageSetting = {}): string =>
  framed(
    { title: texts.text('busy'), state: 'none', reload, hasScript: false, texts, setting },
    notice(texts.text('busy'), texts.text('busyHint')),
  );
