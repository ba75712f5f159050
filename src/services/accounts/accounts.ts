import { tryParseAddress } from '../../monero/cryptonote/address.js';
import type { AddressKeys } from '../../monero/cryptonote/subaddress-keys.js';
import type { Address, SubaddressIndex } from '../../monero/cryptonote/types.js';
import { betweenWrites } from '../../store/between-writes.js';
import { Mutex } from '../../util/mutex.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import type { SubaddressKey } from '../../monero/wallet/model/records.js';
import { ADDRESSES_AT_ONCE } from '../context/address-cache.js';
import type { WalletContext } from '../context/wallet-context.js';
import { AddressListing, type AddressView } from './address-listing.js';
import type { WalletSync } from '../sync/wallet-sync.js';

type Context = Pick<WalletContext, 'addresses' | 'assertOpen' | 'keystore' | 'openAlias' | 'store'>;

/** Sibling services. */
interface Services {
  readonly sync: WalletSync;
}

export interface CreatedAddress {
  readonly index: SubaddressIndex;
  readonly address: string;
}

const range = (major: number, first: number, count: number): SubaddressIndex[] =>
  Array.from({ length: count }, (_, i) => ({ major, minor: first + i }));

/** Spend public keys of addresses, by which payments to them are recognised. */
const entries = (indices: readonly SubaddressIndex[], keys: readonly AddressKeys[]): SubaddressKey[] =>
  keys.flatMap(({ spendPublicKey }, i) => {
    const index = indices[i];
    return index === undefined ? [] : [{ index, spendPublicKey }];
  });

/** Accounts, their addresses and labels. */
export class Accounts {
  readonly #context: Context;
  readonly #services: Services;
  readonly #creating = new Mutex();
  /** The last {@link listing} of a whole account. */
  #listed: { readonly key: string; readonly listing: AddressListing } | undefined;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  count(): number {
    return this.#context.store.read((r) => r.accounts.count());
  }

  /** @throws WalletError `account_out_of_range` */
  assertAccount(account: number): void {
    const count = this.count();
    if (account >= count) throw new WalletError({ kind: 'account_out_of_range', account, count });
  }

  /** @throws WalletError `account_out_of_range`, `address_out_of_range` */
  assertIndex({ major, minor }: SubaddressIndex): void {
    this.assertAccount(major);
    const count = this.addressCount(major);
    if (minor >= count)
      throw new WalletError({ kind: 'address_out_of_range', account: major, index: minor, count });
  }

  addressCount(account: number): number {
    return this.#context.store.read((r) => r.accounts.get(account)?.addressCount) ?? 0;
  }

  /** Text of an own address, whether it was created or not. */
  address(index: SubaddressIndex): string {
    return this.#context.addresses.text(index);
  }

  /** {@link address} of many, in their order. Yields to the event loop between batches. */
  addresses(indices: readonly SubaddressIndex[]): Promise<readonly string[]> {
    return this.#context.addresses.texts(indices);
  }

  /** Derives and caches texts for {@link address} in one batch. */
  prepare(indices: readonly SubaddressIndex[]): void {
    this.#context.addresses.prepare(indices);
  }

  decoded(index: SubaddressIndex): Address {
    return this.#context.addresses.decoded(index);
  }

  /**
   * Lists addresses of an account. The listing of all of them is the same object until the store changes.
   * @param minors empty: all addresses.
   * @throws WalletError for an account or address out of range.
   */
  listing(account: number, minors: readonly number[]): AddressListing {
    this.assertAccount(account);
    const count = this.addressCount(account);
    const missing = minors.find((minor) => minor >= count);
    if (missing !== undefined)
      throw new WalletError({ kind: 'address_out_of_range', account, index: missing, count });
    if (minors.length > 0) return new AddressListing(this.#context, account, minors);
    const key = `${this.#context.store.version} ${account} ${this.#context.keystore.hidesNotes}`;
    if (this.#listed?.key !== key)
      this.#listed = { key, listing: new AddressListing(this.#context, account, count) };
    return this.#listed.listing;
  }

  /** Reads a {@link listing} at once: for few addresses. */
  async list(account: number, minors: readonly number[]): Promise<readonly AddressView[]> {
    const views: AddressView[] = [];
    for await (const page of this.listing(account, minors).pages()) views.push(...page);
    return views;
  }

  /** Index of an own address. @throws WalletError `wrong_address` for an invalid or foreign address. */
  indexOf(text: string): SubaddressIndex {
    const { spendPublicKey } = this.parse(text);
    const index = this.#context.store.read((r) => r.subaddresses.find(spendPublicKey));
    if (index === undefined || !sameAddress(this.decoded(index), this.parse(text)))
      throw new WalletError({ kind: 'wrong_address', reason: "Address doesn't belong to the wallet" });
    return index;
  }

  /**
   * Index of an own address, created or within the lookahead; undefined for a foreign one.
   * @throws WalletError `wrong_address`
   */
  ownIndex(text: string): SubaddressIndex | undefined {
    const { spendPublicKey } = this.parse(text);
    return this.#context.store.read((r) => r.subaddresses.find(spendPublicKey));
  }

  /** @throws WalletError `wrong_address` */
  parse(text: string): Address {
    const address = tryParseAddress(text, this.#context.keystore.keys.network);
    if (address === undefined) throw new WalletError({ kind: 'wrong_address', reason: 'Invalid address' });
    return address;
  }

  /** Parses an address, or looks up an OpenAlias name. @throws WalletError `wrong_address` */
  resolve(text: string): Promise<Address> {
    return this.#context.openAlias.resolve(text, this.#context.keystore.keys.network);
  }

  /** Labels of the labelled addresses of an account, by minor index. */
  labels(account: number): ReadonlyMap<number, string> {
    if (this.#context.keystore.hidesNotes) return new Map();
    return this.#context.store.read((r) => r.subaddresses.labels(account));
  }

  /** Labels of addresses, in their order; empty for one without a label. */
  labelsOf(indices: readonly SubaddressIndex[]): readonly string[] {
    if (this.#context.keystore.hidesNotes) return indices.map(() => '');
    const minors = new Map<number, number[]>();
    for (const { major, minor } of indices) {
      const known = minors.get(major);
      if (known === undefined) minors.set(major, [minor]);
      else known.push(minor);
    }
    const labels = this.#context.store.read(
      (r) => new Map([...minors].map(([major, some]) => [major, r.subaddresses.labelsAmong(major, some)])),
    );
    return indices.map(({ major, minor }) => labels.get(major)?.get(minor) ?? '');
  }

  label(index: SubaddressIndex): string {
    if (this.#context.keystore.hidesNotes) return '';
    return this.#context.store.read((r) => r.subaddresses.label(index));
  }

  create(label: string): SubaddressIndex {
    const major = this.#context.store.write((w) => {
      const account = w.accounts.create();
      const first = [{ major: account, minor: 0 }];
      w.subaddresses.setLabel({ major: account, minor: 0 }, label);
      w.subaddresses.add(entries(first, this.#context.addresses.keysOf(first)));
      return account;
    });
    this.#services.sync.expandTo({ major, minor: 0 });
    return { major, minor: 0 };
  }

  /**
   * Creates addresses, all with one label, a few at a time: other work goes on in between. Their keys are stored first,
   * as those of the lookahead are, then all of them are created at once.
   * @param count number of new addresses. @throws WalletError `account_out_of_range`
   */
  async createAddresses(account: number, count: number, label: string): Promise<CreatedAddress[]> {
    const indices = await this.#creating.run(async () => {
      this.assertAccount(account);
      const created = range(account, await this.#storeNew(account, count, label), count);
      await this.#labelRest(created, label);
      const last = created.at(-1);
      if (last !== undefined) this.#services.sync.expandTo(last);
      return created;
    });
    const texts = await this.addresses(indices);
    // An address is returned only once it is on disk.
    await this.#context.store.flushToDisk();
    return indices.map((index, i) => ({ index, address: texts[i] ?? '' }));
  }

  /** @returns the first of the new addresses. A few of them are labelled. */
  async #storeNew(account: number, count: number, label: string): Promise<number> {
    const { addresses, assertOpen, store } = this.#context;
    // Addresses from the first new one whose keys are stored. A payment may create addresses meanwhile.
    let stored = this.addressCount(account);
    for (;;) {
      const missing = this.addressCount(account) + count - stored;
      const indices = range(account, stored, Math.min(ADDRESSES_AT_ONCE, Math.max(0, missing)));
      const keys = await addresses.derive(indices);
      assertOpen();
      stored += indices.length;
      addresses.add(indices, keys);
      const first = store.writeRecoverable((w) => {
        w.subaddresses.add(entries(indices, keys));
        if (stored < (w.accounts.get(account)?.addressCount ?? 0) + count) return undefined;
        const next = w.accounts.addAddresses(account, count);
        if (label !== '')
          for (const index of range(account, next, Math.min(count, ADDRESSES_AT_ONCE)))
            w.subaddresses.setLabel(index, label);
        return next;
      });
      if (first !== undefined) return first;
      await betweenWrites(store);
    }
  }

  /** Labels all new addresses but those that {@link #storeNew} labels. */
  async #labelRest(indices: readonly SubaddressIndex[], label: string): Promise<void> {
    if (label === '') return;
    for (let start = ADDRESSES_AT_ONCE; start < indices.length; start += ADDRESSES_AT_ONCE) {
      await betweenWrites(this.#context.store);
      this.#context.assertOpen();
      this.#context.store.writeRecoverable((w) => {
        for (const index of indices.slice(start, start + ADDRESSES_AT_ONCE))
          w.subaddresses.setLabel(index, label);
      });
    }
  }

  /** @throws WalletError for an account or address out of range. */
  setLabel(index: SubaddressIndex, label: string): void {
    this.assertIndex(index);
    this.#context.store.write((w) => w.subaddresses.setLabel(index, label));
  }
}

const sameAddress = (a: Address, b: Address): boolean =>
  Buffer.compare(a.spendPublicKey, b.spendPublicKey) === 0 &&
  Buffer.compare(a.viewPublicKey, b.viewPublicKey) === 0;
