import { html, type Html } from '../html.js';
import { badge, fact, framed, itemLink, nameOf, time, walletLink, wrapped } from '../status/page-parts.js';
import { counted, eventText, eventTitle } from '../status/words.js';
import { actionLink, CONFIRMED_PATH } from './action-link.js';
import { ACTIONS, type OfferedAction } from './actions.js';
import { KIND_NAMES, pathOf, type Item } from './items.js';
import type { Found } from './search.js';
import { deliveryText } from './wallet-story.js';
import type { Story, StoryTable, ToldEvent } from './story.js';

/** Rights on which the buttons of a page depend. */
export interface StoryExtras {
  /** True if the client may let events be delivered again. */
  readonly mayRedeliver: boolean;
  /** True if the client may see the amounts of all things of a wallet. */
  readonly seesSums: boolean;
}

/** Kinds whose ids are long texts without spaces. */
const LONG_IDS: ReadonlySet<Item['kind']> = new Set(['transaction', 'address'] as const);

const itemName = ({ kind, wallet, id }: Item): Html =>
  html`<span>${KIND_NAMES[kind]}</span>
    ${LONG_IDS.has(kind) ? wrapped(id) : html`<bdi>${kind === 'wallet' ? nameOf(wallet) : id}</bdi>`}`;

const factList = ({ facts }: Pick<Story, 'facts'>): Html =>
  html`<dl>${facts.map(([name, value]) => fact(name, value))}</dl>`;

function table({ title, columns, rows }: StoryTable, number: number): Html {
  const id = `table-${number}`;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <table class="stacks">
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column === '' ? html`<span class="unseen">Action</span>` : column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell, i) => html`<td data-label="${columns[i] ?? ''}">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

/** Writes an event with its deliveries, each with a button that sends it again. */
function eventItem({ event, deliveries }: ToldEvent, { mayRedeliver, seesSums }: StoryExtras): Html {
  const text = eventText(event, seesSums);
  return html`<li>
    <p class="row">
      <strong>${eventTitle(event)}</strong> ${text === '' ? undefined : html`<bdi>${text}</bdi>`}
    </p>
    <p class="small">${time(event.timestamp)}, event ${String(event.id)}</p>
    ${deliveries.map(
      ({ webhook, delivery }) =>
        html`<p class="row small">
          <span>Webhook <bdi>${webhook.url}</bdi>: ${deliveryText(delivery)}</span>
          ${
            mayRedeliver
              ? actionLink({
                  ...{ name: 'redeliver', wallet: event.wallet },
                  fields: { webhook: webhook.id, event: String(event.id) },
                })
              : undefined
          }
        </p>`,
    )}
  </li>`;
}

function eventSection(story: Story, extras: StoryExtras): Html {
  const { events, isCut, item } = story;
  const none = item.kind === 'wallet' ? 'Nothing happened lately that matters.' : 'No event is recorded.';
  return html`<section aria-labelledby="events-title">
    <h2 id="events-title">${item.kind === 'wallet' ? 'Latest events that matter' : 'What happened'}</h2>
    ${isCut ? html`<p class="small">Older events are not shown, or were deleted.</p>` : undefined}
    ${
      events.length === 0
        ? html`<p>${none}</p>`
        : html`<ol>
            ${events.map((told) => eventItem(told, { ...extras, seesSums: extras.seesSums || item.kind !== 'wallet' }))}
          </ol>`
    }
  </section>`;
}

/** Writes the page of a thing: its facts, what happened, and what it is linked with. */
export const storyPage = (story: Story, extras: StoryExtras): string => {
  const { item, state, hints, actions, tables } = story;
  return framed(
    { title: KIND_NAMES[item.kind] },
    html`<main class="story">
      <section aria-labelledby="facts-title">
        <h2 id="facts-title" class="row">${itemName(item)} ${state}</h2>
        ${item.kind === 'wallet' ? undefined : html`<p class="small">in the wallet ${walletLink(item.wallet)}</p>`}
        ${hints.map((hint) => html`<p role="note">${hint}</p>`)} ${factList(story)}
        ${actions.length === 0 ? undefined : html`<div class="actions">${actions.map(actionLink)}</div>`}
      </section>
      ${eventSection(story, extras)} ${tables.map(table)}
    </main>`,
  );
};

/** Writes the results of a search. @param found undefined if no text was given. */
export const foundPage = (found: Found | undefined): string =>
  framed(
    { title: 'Find', search: found?.text },
    html`<main class="story">
      <section aria-labelledby="found-title">
        <h2 id="found-title">Results</h2>
        <p role="status">${foundText(found)}</p>
        <ul>
          ${(found?.items ?? []).map(
            (item) =>
              html`<li>
                <p class="row">
                  <strong>${KIND_NAMES[item.kind]}</strong>
                  ${itemLink(item, item.id === '' ? nameOf(item.wallet) : item.id)}
                </p>
                <p class="small">${nameOf(item.wallet)}</p>
              </li>`,
          )}
        </ul>
      </section>
    </main>`,
  );

function foundText(found: Found | undefined): string {
  if (found === undefined) return 'Enter an id, a key, a hash, an address, a reference or a link.';
  const { items, isCut } = found;
  if (items.length === 0)
    return isCut
      ? 'Nothing was found in the time that a search has. Enter a whole id or reference.'
      : 'Nothing in the open wallets has this id, key, hash, address or reference.';
  return isCut
    ? `The first ${counted(items.length, 'result')}; there may be more.`
    : counted(items.length, 'result');
}

/** Writes the page that asks for the confirmation of an action. @param item thing that it concerns. */
export function confirmPage(
  { name, wallet, fields }: OfferedAction,
  { story, item, token }: { readonly story: Story | undefined; readonly item: Item; readonly token: string },
): string {
  const action = ACTIONS[name];
  return framed(
    { title: 'Confirm' },
    html`<main class="story">
      <section aria-labelledby="question">
        <h2 id="question"><bdi>${action.question(fields)}</bdi></h2>
        <p class="small">in the wallet ${walletLink(wallet)}, by the method ${action.method}</p>
        ${action.isFinal ? html`<p>This cannot be taken back.</p>` : undefined}
        ${story === undefined ? undefined : html`${story.state} ${factList(story)}`}
        <form method="post" action="${CONFIRMED_PATH}">
          <input type="hidden" name="do" value="${name}" />
          <input type="hidden" name="wallet" value="${wallet}" />
          ${Object.entries(fields).map(
            ([field, value]) => html`<input type="hidden" name="${field}" value="${value}" />`,
          )}
          <input type="hidden" name="token" value="${token}" />
          <div class="actions">
            <button>Yes: ${action.label.toLowerCase()}</button>
            <a class="button quiet" href="${pathOf(item)}">No, go back</a>
          </div>
        </form>
      </section>
    </main>`,
  );
}

/** Writes the page with the result of an action. @param item thing that it concerned; undefined if it is unknown. */
export const resultPage = (
  { isDone, text }: { readonly isDone: boolean; readonly text: string },
  item: Item | undefined,
): string =>
  framed(
    { title: isDone ? 'Done' : 'Not done' },
    html`<main class="story">
      <section aria-labelledby="result-title">
        <h2 id="result-title">${isDone ? badge('good', 'Done') : badge('bad', 'Not done')}</h2>
        <p role="${isDone ? 'status' : 'alert'}"><bdi>${text}</bdi></p>
        ${item === undefined ? undefined : html`<p>${itemLink(item, `Back to the ${KIND_NAMES[item.kind].toLowerCase()}`)}</p>`}
      </section>
    </main>`,
  );
