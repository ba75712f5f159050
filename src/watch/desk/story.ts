import type { EventJson } from '../../services/events/event-json.js';
import type { EventStory } from '../../services/events/wallet-event-log.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import type { PageRights } from '../../http/pages/page-rights.js';
import { toHex } from '../../util/bytes.js';
import type { Html, HtmlValue } from '../html.js';
import { clientText, itemLink, timeAt } from '../status/page-parts.js';
import { workSlices } from '../../util/event-loop.js';
import type { OfferedAction } from './actions.js';
import type { Item } from './items.js';

/** A fact of a thing: its name, and its value. */
export type Fact = readonly [name: string, value: HtmlValue];

/** A table in the page of a thing. */
export interface StoryTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly HtmlValue[])[];
}

/** Everything that is known of a thing. */
export interface Story {
  readonly item: Item;
  /** State as a badge; undefined for a thing without states. */
  readonly state: Html | undefined;
  readonly facts: readonly Fact[];
  readonly tables: readonly StoryTable[];
  /** Advice for the reader, a sentence each. */
  readonly hints: readonly string[];
  readonly actions: readonly OfferedAction[];
  readonly events: readonly ToldEvent[];
  /** True if older events may be missing. */
  readonly isCut: boolean;
}

/** An event with its deliveries to webhooks. */
export interface ToldEvent {
  readonly event: EventJson;
  readonly deliveries: ReturnType<OpenWallet['webhooks']['deliveriesOf']>;
}

/** Largest number of events in a story. */
export const MAX_EVENTS = 100;

/** Adds the deliveries of events, if the client may list them. */
export async function told(
  wallet: Pick<OpenWallet, 'webhooks'>,
  { events, isCut }: EventStory,
  rights: PageRights,
): Promise<Pick<Story, 'events' | 'isCut'>> {
  const isListed = rights.allows('list_deliveries');
  return {
    events: await workSlices.map(events, (event) => ({
      event,
      deliveries: isListed ? wallet.webhooks.deliveriesOf(event.id) : [],
    })),
    isCut,
  };
}

/** Largest number of rows of a table. */
export const MAX_ROWS = 50;

/** Reads the story of a thing of a wallet. @throws WalletError if there is no such thing. */
export type ReadStory = (wallet: OpenWallet, item: Item, rights: PageRights) => Promise<Story>;

/** Returns the facts that have a value. */
export const known = (...facts: readonly (readonly [string, Html | string | number | undefined])[]): Fact[] =>
  facts.filter(([, value]) => value !== undefined && value !== '') as Fact[];

export const optionalTime = (seconds: number | undefined): Html | undefined =>
  seconds === undefined ? undefined : timeAt(seconds);

export const optionalText = (text: string | undefined): Html | undefined =>
  text === undefined || text === '' ? undefined : clientText(text);

/** Returns the actions that a client may take. */
export const allowed = (
  rights: PageRights,
  actions: readonly (OfferedAction & { readonly method: string })[],
): OfferedAction[] => actions.filter(({ method }) => rights.allows(method));

/** Returns a table with its first rows; none without rows. */
export const tablesOf = (
  title: string,
  columns: StoryTable['columns'],
  rows: StoryTable['rows'],
): StoryTable[] => (rows.length === 0 ? [] : [{ title, columns, rows: rows.slice(0, MAX_ROWS) }]);

/** Writes a link to the page of a transaction. */
export const transactionLink = (wallet: Pick<OpenWallet, 'name'>, hash: Uint8Array): Html =>
  itemLink({ kind: 'transaction', wallet: wallet.name, id: toHex(hash) }, toHex(hash));
