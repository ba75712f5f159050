import { html, type Html, type HtmlValue } from '../html.js';

/** Writes the name of a wallet; a wallet in memory has an empty name. */
export const nameOf = (name: string): string => (name === '' ? 'Wallet in memory' : name);

export const badge = (kind: 'good' | 'bad' | 'plain', text: HtmlValue): Html =>
  html`<span class="badge ${kind}">${text}</span>`;

/** Writes a time. @param timestamp time in ISO 8601, UTC. */
export const time = (timestamp: string): Html =>
  html`<time datetime="${timestamp}">${timestamp.slice(0, 19).replace('T', ' ')} UTC</time>`;

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
