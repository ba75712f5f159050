import { formatAddress, integrate, standardOf } from '../../cryptonote/address.js';
import type { Address, PaymentId } from '../../cryptonote/types.js';
import type { AddressBookRow } from '../../store/tables/address-book.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { Accounts } from './accounts.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store'>;

/** Sibling services. */
interface Services {
  readonly accounts: Accounts;
}

export interface AddressBookEntry extends AddressBookRow {
  /** Of an integrated address. */
  readonly paymentId?: PaymentId;
}

/** What of an entry is to change; what is absent stays. */
export interface AddressBookChange {
  readonly address?: string;
  /** Joined to the address; `none` takes one away. */
  readonly paymentId?: PaymentId | 'none';
  readonly description?: string;
}

/** Addresses of others that clients keep with the wallet. */
export class AddressBook {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** @param indices empty: all. @throws WalletError `book_index_out_of_range` */
  list(indices: readonly number[]): AddressBookEntry[] {
    return this.#context.store
      .read((r) => (indices.length === 0 ? r.addressBook.list() : indices.map((index) => this.#row(index))))
      .map((row) => {
        const { paymentId } = this.#services.accounts.parse(row.address);
        return paymentId === undefined ? row : { ...row, paymentId };
      });
  }

  /** @returns the entry's index. @throws WalletError `wrong_address`, `wrong_payment_id` */
  async add(address: string, paymentId: PaymentId | undefined, description: string): Promise<number> {
    const parsed = await this.#services.accounts.resolve(address);
    const text = formatAddress(paymentId === undefined ? parsed : joined(parsed, paymentId));
    return this.#context.store.write((w) => w.addressBook.add(text, description));
  }

  /** @throws WalletError `book_index_out_of_range`, `wrong_address`, `wrong_payment_id` */
  async edit(index: number, change: AddressBookChange): Promise<void> {
    this.#row(index);
    const wanted =
      change.address === undefined ? undefined : await this.#services.accounts.resolve(change.address);
    // Other calls may have changed the book meanwhile.
    const row = this.#row(index);
    const given = wanted ?? this.#services.accounts.parse(row.address);
    const address =
      change.paymentId === undefined
        ? given
        : change.paymentId === 'none'
          ? standardOf(given)
          : joined(change.address === undefined ? standardOf(given) : given, change.paymentId);
    const description = change.description ?? row.description;
    this.#context.store.write((w) =>
      w.addressBook.set({ index, address: formatAddress(address), description }),
    );
  }

  /** Later entries move down by one. @throws WalletError `book_index_out_of_range` */
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

function joined(address: Address, paymentId: PaymentId): Address {
  if (address.kind !== 'standard')
    throw new WalletError({
      kind: 'wrong_payment_id',
      reason: `a payment id cannot be joined to ${address.kind === 'integrated' ? 'an integrated address' : 'a subaddress'}`,
    });
  return integrate(address, paymentId);
}
