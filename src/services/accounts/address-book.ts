import { formatAddress, integrate, standardOf } from '../../monero/cryptonote/address.js';
import type { Address, PaymentId } from '../../monero/cryptonote/types.js';
import type { AddressBookRow } from '../../store/tables/address-book.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import type { Accounts } from './accounts.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store'>;

/** Other services of the wallet that this one calls. */
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
   * Lists the rows of entries: {@link entryOf} completes each of them, which takes longer.
   * @param indices empty: all entries. @throws WalletError `book_index_out_of_range`
   */
  list(indices: readonly number[]): readonly AddressBookRow[] {
    // SQLite finds a row by its place by passing over the rows before it.
    if (indices.length === 1) return indices.map((index) => this.#row(index));
    const all = this.#context.store.read((r) => r.addressBook.list());
    return indices.length === 0 ? all : indices.map((index) => all[index] ?? this.#row(index));
  }

  /** Returns the entry of a row, with the payment id in its address. */
  entryOf(row: AddressBookRow): AddressBookEntry {
    const { paymentId } = this.#services.accounts.parse(row.address);
    return paymentId === undefined ? row : { ...row, paymentId };
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
      if (row === undefined)
        throw new WalletError({ kind: 'book_index_out_of_range', index, count: r.addressBook.count() });
      return row;
    });
  }
}

/** Integrates a payment id into an address. @throws WalletError `wrong_payment_id` unless it is a standard address. */
function integrated(address: Address, paymentId: PaymentId): Address {
  if (address.kind !== 'standard')
    throw new WalletError({
      kind: 'wrong_payment_id',
      reason: `a payment id cannot be added to ${address.kind === 'integrated' ? 'an integrated address' : 'a subaddress'}`,
    });
  return integrate(address, paymentId);
}
