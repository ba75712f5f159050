import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import { ADDRESSES_AT_ONCE } from '../context/address-cache.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'addresses' | 'assertOpen' | 'keystore' | 'store'>;

/** Row of an address in a listing. */
export interface AddressView {
  readonly address: string;
  readonly index: SubaddressIndex;
  readonly label: string;
  /** True if the address has ever received an output. */
  readonly used: boolean;
}

/** Addresses of an account with their labels and use, read a few at a time. */
export class AddressListing {
  readonly #context: Context;
  readonly #account: number;
  readonly #minors: readonly number[] | undefined;
  readonly #hidesLabels: boolean;
  /** Number of listed addresses. */
  readonly count: number;

  /** @param minors minor indices of the listed addresses, or the number of all addresses of the account. */
  constructor(context: Context, account: number, minors: readonly number[] | number) {
    this.#context = context;
    this.#account = account;
    this.#minors = typeof minors === 'number' ? undefined : minors;
    this.count = typeof minors === 'number' ? minors : minors.length;
    this.#hidesLabels = context.keystore.hidesNotes;
  }

  /** Reads the addresses in order, and yields to the event loop between pages. @throws WalletError `no_wallet` */
  async *pages(): AsyncGenerator<readonly AddressView[]> {
    const { assertOpen, store } = this.#context;
    const imported = new Set(store.read((r) => r.imported.usedAddresses(this.#account)));
    for (let start = 0; start < this.count; start += ADDRESSES_AT_ONCE) {
      if (start > 0) await yieldToEventLoop();
      assertOpen();
      yield this.#page(this.#minorsBetween(start, Math.min(this.count, start + ADDRESSES_AT_ONCE)), imported);
    }
  }

  #minorsBetween(start: number, end: number): readonly number[] {
    return this.#minors?.slice(start, end) ?? Array.from({ length: end - start }, (_, i) => start + i);
  }

  /** Reads one page of rows. @param imported minor indices that imported outputs pay. */
  #page(minors: readonly number[], imported: ReadonlySet<number>): readonly AddressView[] {
    const { addresses, keystore, store } = this.#context;
    const account = this.#account;
    const indices = minors.map((minor) => ({ major: account, minor }));
    addresses.prepare(indices);
    const hidesLabels = this.#hidesLabels || keystore.hidesNotes;
    return store.read((r) => {
      const labels = hidesLabels ? undefined : r.subaddresses.labelsAmong(account, minors);
      const used = new Set(r.balances.usedAmong(account, minors));
      return indices.map((index) => ({
        address: addresses.text(index),
        index,
        label: labels?.get(index.minor) ?? '',
        used: used.has(index.minor) || imported.has(index.minor),
      }));
    });
  }
}
