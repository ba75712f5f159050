import { formatAddress, INTEGRATED_CHARS, integrate, standardOf } from '../../monero/cryptonote/address.js';
import type { Address, PaymentId } from '../../monero/cryptonote/types.js';
import { NO_POSITION, type AddressBookPlace, type AddressBookRow } from '../../store/tables/address-book.js';
import { mapPages, pagesOf, singlePage, unheld, type Paged } from '../../util/paged.js';
import { WalletError } from '../../model/wallet-error.js';
import type { Accounts } from './accounts.js';
import { PagedReader } from '../context/paged-reader.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'assertOpen' | 'store'>;

/** Number of entries whose addresses are parsed, and whose places are found, in one turn of the event loop. */
const ENTRIES_AT_ONCE = 64;
const PLACES_AT_ONCE = 1024;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
}

export interface AddressBookEntry extends AddressBookRow {
  /** Payment id in the integrated address of the entry; absent for any other address. */
  readonly paymentId?: PaymentId;
}

/** Changes of an entry; an absent field stays as it is. */
export interface AddressBookChange {
  readonly address?: string;
  /** Payment id to integrate into the address; `none`: removes it. */
  readonly paymentId?: PaymentId | 'none';
  readonly description?: string;
}

/** Address book of the wallet: addresses of other people with a description. */
export class AddressBook {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Reads entries in pages, all pages from the state of the store at this call.
   * @param indices empty: all entries. @throws WalletError `book_index_out_of_range`
   */
  async list(indices: readonly number[]): Promise<Paged<readonly AddressBookEntry[]>> {
    const [only] = indices;
    if (only !== undefined && indices.length === 1)
      return unheld(singlePage([this.#entryOf(this.#row(only))]));
    const reading = new PagedReader(this.#context);
    const release = (): void => reading.release();
    try {
      const places = await this.#places(reading);
      const listed = indices.length === 0 ? [...places.keys()] : indices;
      const missing = listed.find((index) => places[index] === undefined);
      if (missing !== undefined) throw outOfRange(missing, places.length);
      const pages = pagesOf(listed, ENTRIES_AT_ONCE, (part) =>
        part.reduce((sum, index) => sum + (places[index]?.bytes ?? 0), 0),
      );
      const entryIn = (index: number): AddressBookEntry => {
        const place = places[index];
        const row = place && reading.read((r) => r.addressBook.textsIn(place));
        if (row === undefined) throw outOfRange(index, places.length);
        return this.#entryOf({ index, ...row });
      };
      return { pages: mapPages(pages, entryIn), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Adds the payment id of an integrated address: no other address needs to be parsed, which takes 60 µs. */
  #entryOf(row: AddressBookRow): AddressBookEntry {
    if (row.address.length < INTEGRATED_CHARS) return row;
    const { paymentId } = this.#services.accounts.parse(row.address);
    return { ...row, ...(paymentId === undefined ? {} : { paymentId }) };
  }

  /**
   * Returns the places of all entries by their index: SQLite finds a row by its index only by passing over all rows
   * before it.
   */
  async #places(reading: PagedReader): Promise<readonly AddressBookPlace[]> {
    const pages = reading.pages(
      NO_POSITION,
      (r, after, most) => {
        const page = r.addressBook.placesAfter(after, most === Infinity ? -1 : most);
        const last = page.at(-1)?.position;
        return { page, rest: page.length === most ? last : undefined };
      },
      PLACES_AT_ONCE,
    );
    const places: AddressBookPlace[] = [];
    for await (const page of pages) places.push(...page);
    return places;
  }

  /**
   * Adds an entry. @param address text of an address, or an OpenAlias name. @returns index of the new entry.
   * @throws WalletError `wrong_address`, `wrong_payment_id`
   */
  async add(address: string, paymentId: PaymentId | undefined, description: string): Promise<number> {
    const parsed = await this.#services.accounts.resolve(address);
    const text = formatAddress(paymentId === undefined ? parsed : integrated(parsed, paymentId));
    return this.#context.store.write((w) => w.addressBook.add(text, description));
  }

  /** Changes an entry. @throws WalletError `book_index_out_of_range`, `wrong_address`, `wrong_payment_id` */
  async edit(index: number, change: AddressBookChange): Promise<void> {
    this.#row(index);
    const resolved =
      change.address === undefined ? undefined : await this.#services.accounts.resolve(change.address);
    // Another call may have changed the book during the look-up of the address.
    const row = this.#row(index);
    const base = resolved ?? this.#services.accounts.parse(row.address);
    const address =
      change.paymentId === undefined
        ? base
        : change.paymentId === 'none'
          ? standardOf(base)
          : integrated(change.address === undefined ? standardOf(base) : base, change.paymentId);
    const description = change.description ?? row.description;
    this.#context.store.write((w) =>
      w.addressBook.set({ index, address: formatAddress(address), description }),
    );
  }

  /** Removes an entry; the indices of later entries decrease by one. @throws WalletError `book_index_out_of_range` */
  remove(index: number): void {
    this.#row(index);
    this.#context.store.write((w) => w.addressBook.remove(index));
  }

  #row(index: number): AddressBookRow {
    return this.#context.store.read((r) => {
      const row = r.addressBook.get(index);
      if (row === undefined) throw outOfRange(index, r.addressBook.count());
      return row;
    });
  }
}

const outOfRange = (index: number, count: number): WalletError =>
  new WalletError({ kind: 'book_index_out_of_range', index, count });

/**
 * Integrates a payment id into an address.
 * @throws WalletError `wrong_payment_id` unless the address is a standard address.
 */
function integrated(address: Address, paymentId: PaymentId): Address {
  if (address.kind !== 'standard')
    throw new WalletError({
      kind: 'wrong_payment_id',
      reason: `a payment id cannot be added to ${address.kind === 'integrated' ? 'an integrated address' : 'a subaddress'}`,
    });
  return integrate(address, paymentId);
}
