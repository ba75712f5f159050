import type { EventJson } from '../../services/events/event-json.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import { workSlices } from '../../util/work-slices.js';
import { EVENT_TYPES, type EventType } from '../../monero/wallet/model/events.js';
import { readable } from '../readable.js';

/** The part of an open wallet that has its events. */
export interface EventfulWallet {
  readonly eventLog: Pick<OpenWallet['eventLog'], 'lastId' | 'latest'>;
}

/** Latest events of several wallets, newest first. */
export interface RecentEvents {
  readonly events: readonly EventJson[];
  /** Latest event of each payment and transfer. */
  readonly payments: readonly EventJson[];
  /** Id of the latest event. */
  readonly lastId: number;
}

/** Events and payments listed at most. */
const SHOWN = 10;
/** Events of a wallet among which payments are searched: a payment has several. */
const SEARCHED = 50;
/** Wallets with the latest events, which are read. */
const MAX_WALLETS = 32;

const PAYMENT_TYPES = EVENT_TYPES.filter((type) => /^(payment|transfer)\./.test(type));

/** Reads the latest events of wallets. Wallets that cannot be read are left out. */
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

/** Keeps the newest event of each payment and transfer. @param events newest first. */
function latestOfEach(events: readonly EventJson[]): EventJson[] {
  const seen = new Set<string>();
  return events.filter(({ wallet, type, data }) => {
    const key = JSON.stringify([wallet, type.split('.')[0], data['tx_hash'], data['address'] ?? '']);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
