import { tryParseAddress } from '../../monero/cryptonote/address.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { PageRights } from '../../http/pages/page-rights.js';
import { faultOf } from '../../model/wallet-error.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import { bytes32, tryFromHex, toHex } from '../../util/bytes.js';
import { monotonicMs } from '../../util/clock.js';
import { workSlices } from '../../util/event-loop.js';
import { readable } from '../wallet-facts.js';
import { METHOD_OF, type Item } from './items.js';

/** Open wallet in which things are searched. */
export type SearchedWallet = Pick<
  OpenWallet,
  'name' | 'store' | 'keystore' | 'accounts' | 'payouts' | 'paymentRequests'
>;

/** Results of a search. */
export interface Found {
  readonly text: string;
  readonly items: readonly Item[];
  /** True if there may be more things than the listed ones. */
  readonly isCut: boolean;
}

/** Largest number of results. */
const MAX_FOUND = 50;
/** Longest text that is searched [characters]. */
const MAX_TEXT = 400;
/** Shortest text that is searched as a part of ids and references [characters]. */
const MIN_PART = 3;
/** Time after which a search for parts of texts ends [ms]. */
const MAX_MS = 3000;
/** Largest number of searches at a time. */
const MAX_SEARCHES = 8;
/** Number of destinations of payments that one turn of the event loop searches. */
const SEARCHED_AT_ONCE = 4000;
/** Length of the random name of a pay page [bytes]. */
const TOKEN_BYTES = 16;

/** A text that is searched, with the forms that it may have. */
interface Wanted {
  readonly text: string;
  readonly hash: Hash | undefined;
  /** Payment id of 8 or 32 bytes. */
  readonly paymentId: Uint8Array | undefined;
  /** Random name of a pay page. */
  readonly token: Uint8Array | undefined;
  /** Text is an address of some network. */
  readonly isAddress: boolean;
}

/**
 * Takes the part of a text that names something: the address of a payment link, and the last part of the path of a web
 * address, such as the name of a pay page.
 */
function nameIn(given: string): string {
  const text = given.trim().slice(0, MAX_TEXT);
  const [, link] = /^monero:(?:\/\/)?([^?]+)/i.exec(text) ?? [];
  if (link !== undefined) return link;
  const [, last] = /^https?:\/\/[^/]+\/(?:[^?#]*\/)?([^/?#]+)\/?(?:[?#].*)?$/i.exec(text) ?? [];
  return last ?? text;
}

function wantedIn(text: string): Wanted {
  const bytes = /^(?:[0-9a-f]{2}){8,32}$/i.test(text) ? tryFromHex(text.toLowerCase()) : undefined;
  const ofLength = (...lengths: number[]): Uint8Array | undefined =>
    bytes !== undefined && lengths.includes(bytes.length) ? bytes : undefined;
  const hash = ofLength(32);
  return {
    text,
    hash: hash && bytes32(hash, 'Hash'),
    paymentId: ofLength(8, 32),
    token: ofLength(TOKEN_BYTES),
    isAddress: tryParseAddress(text) !== undefined,
  };
}

/** Finds requests, orders, payouts, transactions, addresses and wallets among the open wallets. */
export class DeskSearch {
  readonly #wallets: () => readonly SearchedWallet[];
  #searches = 0;

  constructor(wallets: () => readonly SearchedWallet[]) {
    this.#wallets = wallets;
  }

  /** True if no further search may begin now. */
  get isBusy(): boolean {
    return this.#searches >= MAX_SEARCHES;
  }

  /**
   * Finds the things that a text names: by an id, key, hash, address, payment id, reference or link; and payouts, requests
   * and payees by a part of such a text, for at most some seconds. Other requests are answered meanwhile.
   * @returns undefined for a text without characters.
   */
  async find(given: string, rights: PageRights): Promise<Found | undefined> {
    const text = nameIn(given);
    if (text === '') return undefined;
    this.#searches += 1;
    try {
      const wanted = wantedIn(text);
      const wallets = this.#wallets().filter(({ name }) => rights.reaches(name));
      const exact = await workSlices.map(wallets, (wallet) => readable(() => itemsIn(wallet, wanted)) ?? []);
      const items = new ItemList(rights);
      items.add(exact.flat());
      const isWhole = await this.#findParts(wallets, wanted, items);
      return { text, items: items.shown, isCut: !isWhole || items.isFull };
    } finally {
      this.#searches -= 1;
    }
  }

  /** Finds things by a part of their texts. @returns false if the search ended early. */
  async #findParts(wallets: readonly SearchedWallet[], wanted: Wanted, items: ItemList): Promise<boolean> {
    // A full name of something is no part of a text of a client.
    if (wanted.text.length < MIN_PART || items.shown.length > 0) return true;
    const end = monotonicMs() + MAX_MS;
    for (const wallet of wallets) {
      if (items.isFull || monotonicMs() >= end) return false;
      try {
        if (wanted.isAddress) items.add(await paidTo(wallet, wanted.text, end));
        items.add(await payoutsWith(wallet, wanted.text));
        items.add(await requestsWith(wallet, wanted.text));
      } catch (error) {
        // The wallet was closed meanwhile, or its store is damaged.
        if (faultOf(error) === undefined) throw error;
      }
    }
    return true;
  }
}

/** Found things without repetitions, of kinds that the client may see. */
class ItemList {
  readonly #rights: PageRights;
  readonly #items = new Map<string, Item>();

  constructor(rights: PageRights) {
    this.#rights = rights;
  }

  get isFull(): boolean {
    return this.#items.size > MAX_FOUND;
  }

  get shown(): Item[] {
    return [...this.#items.values()].slice(0, MAX_FOUND);
  }

  add(items: readonly Item[]): void {
    for (const item of items)
      if (!this.isFull && this.#rights.allows(METHOD_OF[item.kind]))
        this.#items.set(JSON.stringify([item.kind, item.wallet, item.id]), item);
  }
}

/** Finds the things of a wallet that a text names exactly. @throws WalletError */
function itemsIn({ name: wallet, store, keystore, accounts }: SearchedWallet, wanted: Wanted): Item[] {
  const { text, hash, paymentId, token, isAddress } = wanted;
  const own = isAddress ? readable(() => accounts.ownIndex(text)) : undefined;
  return store.read((r) => {
    const items: Item[] = [];
    const add = (kind: Item['kind'], id: string): unknown => items.push({ kind, wallet, id });
    if (wallet === text) add('wallet', '');
    if (!r.requests.isEmpty) {
      const request =
        r.requests.byId(text.toLowerCase()) ??
        (keystore.hidesNotes ? undefined : r.requests.byReference(text)) ??
        (token && r.requests.byToken(token)) ??
        (own && r.requests.byAddress(own));
      if (request !== undefined) add('request', request.requestId);
    }
    if (r.payouts.byId(text) !== undefined) add('payout', text);
    if (r.orders.byKey(text) !== undefined) add('order', text);
    if (hash !== undefined) {
      if (r.outgoing.byHash(hash) !== undefined || r.payments.has(hash) || r.pool.has(hash))
        add('transaction', toHex(hash));
      else for (const key of [r.orders.keyOf(hash) ?? []].flat()) add('order', key);
    }
    if (paymentId !== undefined)
      for (const { tx } of r.payments.byPaymentId(paymentId).slice(-MAX_FOUND))
        add('transaction', toHex(tx.txHash));
    if (own !== undefined && items.length === 0) add('address', text);
    return items;
  });
}

/** Finds the payments of a wallet that were sent to an address. @param end time at which the search ends [ms]. */
async function paidTo(
  { name: wallet, store, keystore }: SearchedWallet,
  address: string,
  end: number,
): Promise<Item[]> {
  if (keystore.hidesNotes) return [];
  const items: Item[] = [];
  let after: Uint8Array | undefined = new Uint8Array();
  while (after !== undefined && items.length <= MAX_FOUND && monotonicMs() < end) {
    const from: Uint8Array = after;
    const part: { readonly hashes: readonly Hash[]; readonly next?: Hash } = await workSlices.run(() =>
      store.read((r) => r.outgoingSearch.paidTo(address, from, SEARCHED_AT_ONCE)),
    );
    items.push(...part.hashes.map((hash): Item => ({ kind: 'transaction', wallet, id: toHex(hash) })));
    after = part.next;
  }
  return items;
}

/** Finds the payouts of a wallet whose id, address or reference contain a text. */
async function payoutsWith({ name: wallet, payouts }: SearchedWallet, text: string): Promise<Item[]> {
  const { payouts: found } = await payouts.list({ states: [], text }, Number.MAX_SAFE_INTEGER, MAX_FOUND + 1);
  return found.map(({ payout }): Item => ({ kind: 'payout', wallet, id: payout.payoutId }));
}

/** Finds the payment requests of a wallet whose id, reference, label or metadata contain a text. */
async function requestsWith(
  { name: wallet, store, paymentRequests }: SearchedWallet,
  text: string,
): Promise<Item[]> {
  if (store.read((r) => r.requests.isEmpty)) return [];
  const { requests } = await paymentRequests.list(
    { states: [], text },
    Number.MAX_SAFE_INTEGER,
    MAX_FOUND + 1,
  );
  return requests.map(({ requestId }): Item => ({ kind: 'request', wallet, id: requestId }));
}
