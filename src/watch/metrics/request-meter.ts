import type { EventType } from '../../model/events.js';
import { ZERO, sum, type Amount } from '../../util/amount.js';
import { WalletMeter, type MeteredWallet } from './wallet-meter.js';

/** Changes of payment requests that are counted. */
export const REQUEST_CHANGES = [
  'partial',
  'seen',
  'paid',
  'overpaid',
  'expired',
  'late',
  'reversed',
] as const;
export type RequestChange = (typeof REQUEST_CHANGES)[number];

const TYPES: readonly EventType[] = REQUEST_CHANGES.map((change): EventType => `request.${change}`);

/** Number of events that one turn of the event loop reads. */
const EVENTS_AT_ONCE = 500;

/** Counts of a wallet since it was metered first. */
export interface RequestTally {
  readonly changes: ReadonlyMap<RequestChange, number>;
  /** Sum of what requests had received when they were paid [atomic units]. */
  readonly paid: Amount;
}

/** Tally of a wallet with the place up to which it has read. */
interface Running {
  version: number;
  /** Id of the last event that was read. */
  lastEvent: number;
  readonly changes: Map<RequestChange, number>;
  paid: Amount;
}

/** Counts the changes of payment requests from the first reading of a wallet on. */
export class RequestMeter extends WalletMeter<Running> {
  constructor() {
    super(begin, readSome);
  }
}

const begin = ({ store }: MeteredWallet): Running => ({
  version: store.version,
  lastEvent: store.read((r) => r.events.last()),
  ...{ changes: new Map(), paid: ZERO },
});

/** Counts some new events. @returns true if there may be more. */
function readSome({ store }: MeteredWallet, running: Running): boolean {
  const { events, last } = store.read((r) => ({
    events: r.events.after(running.lastEvent, EVENTS_AT_ONCE, TYPES),
    last: r.events.last(),
  }));
  for (const event of events) {
    if (!event.type.startsWith('request.')) continue;
    const change = event.type.slice('request.'.length) as RequestChange;
    running.changes.set(change, (running.changes.get(change) ?? 0) + 1);
    if (event.type === 'request.paid') running.paid = sum([running.paid, event.data.received]);
  }
  const isFull = events.length === EVENTS_AT_ONCE;
  running.lastEvent = isFull ? (events.at(-1)?.id ?? last) : last;
  return isFull;
}
