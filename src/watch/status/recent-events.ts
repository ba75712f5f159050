import type { EventJson } from '../../services/events/event-json.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import { workSlices } from '../../util/event-loop.js';
import { EVENT_TYPES, type EventType } from '../../model/events.js';
import { readable } from '../readable.js';

/** Part of an open wallet that has its events. */
export interface EventfulWallet {
  readonly eventLog: Pick<OpenWallet['eventLog'], 'lastId' | 'latest'>;
}

/** Latest events of several wallets, newest first. */
export interface RecentEvents {
  readonly events: readonly EventJson[];
  /** Latest event of each payment and transfer. */
  readonly payments: readonly EventJson[];
  /** Id of the latest event of all wallets. */
  readonly lastId: number;
}

/** Largest number of events, and of payments, in the list. */
const SHOWN = 10;
/** Number of events of a wallet among which payments are searched: a payment has several events. */
const SEARCHED = 50;
/** Largest number of wallets whose events are read, those with the latest events. */
const MAX_WALLETS = 32;

const PAYMENT_TYPES = EVENT_TYPES.filter((type) => /^(payment|transfer)\./.test(type));

/** Reads the latest events of wallets. Leaves out wallets that cannot be read. */
export async function recentEvents(wallets: readonly EventfulWallet[]): Promise<RecentEvents> {
  const known = await workSlices.map(wallets, ({ eventLog }) => ({
    eventLog,
    id: readable(() => eventLog.lastId) ?? 0,
  }));
  const latest = known
    .filter(({ id }) => id > 0)
    .sort((a, b) => b.id - a.id)
    .slice(0, MAX_WALLETS);
  const read = async (count: number, types: readonly EventType[]): Promise<EventJson[]> => {
    const lists = await workSlices.map(latest, ({ eventLog }) =>
      readable(() => eventLog.latest(count, types)),
    );
    return lists.flatMap((list) => list ?? []).sort((a, b) => b.id - a.id);
  };
  return {
    events: (await read(SHOWN, EVENT_TYPES)).slice(0, SHOWN),
    payments: latestOfEach(await read(SEARCHED, PAYMENT_TYPES)).slice(0, SHOWN),
    lastId: latest[0]?.id ?? 0,
  };
}

/** Keeps only the newest event of each payment and transfer. @param events newest first. */
function latestOfEach(events: readonly EventJson[]): EventJson[] {
  const seen = new Set<string>();
  return events.filter(({ wallet, type, data }) => {
    const key = JSON.stringify([wallet, type.split('.')[0], data['tx_hash'], data['address'] ?? '']);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
