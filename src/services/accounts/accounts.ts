import { tryParseAddress } from '../../monero/cryptonote/address.js';
import type { AddressKeys } from '../../monero/cryptonote/subaddress-keys.js';
import type { Address, SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import { betweenWrites } from '../../store/between-writes.js';
import { Mutex, waitAtMost } from '../../util/concurrency.js';
import { pagesOf } from '../../util/paged.js';
import { WalletError } from '../../model/wallet-error.js';
import type { SubaddressKey } from '../../monero/wallet/scan/packed-subaddresses.js';
import type { AddressCaller } from '../../store/tables/lost-addresses.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { ADDRESSES_AT_ONCE } from '../context/address-cache.js';
import { noAddress } from '../context/wrong-address.js';
import type { WalletContext } from '../context/wallet-context.js';
import { AddressListing, type AddressView } from './address-listing.js';
import type { WalletSync } from '../sync/wallet-sync.js';

type Context = Pick<WalletContext, 'addresses' | 'assertOpen' | 'keystore' | 'log' | 'openAlias' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly sync: WalletSync;
}

export interface CreatedAddress {
  readonly index: SubaddressIndex;
  readonly address: string;
}

/** A new account. */
export interface CreatedAccount extends SubaddressIndex {
  /** Number of accounts that were left out before the account. */
  readonly skipped: number;
}

/**
 * Writes in the transaction that creates addresses.
 * @param first index of the first new address. @param skipped number of addresses that were left out before the first
 * new address.
 */
export type RecordAddresses = (w: WalletWriter, first: SubaddressIndex, skipped: number) => void;

/** Longest time for which the first new address of a restored wallet waits for its blocks [ms]. */
const CATCH_UP_MS = 5000;

/** Addresses to create. */
interface NewAddresses {
  readonly account: number;
  readonly count: number;
  readonly label: string;
  readonly record: RecordAddresses;
  readonly caller: AddressCaller;
}

const range = (major: number, first: number, count: number): SubaddressIndex[] =>
  Array.from({ length: count }, (_, i) => ({ major, minor: first + i }));

/** Pairs indices of addresses with the spend public keys by which the scanner recognises payments to the addresses. */
const entries = (indices: readonly SubaddressIndex[], keys: readonly AddressKeys[]): SubaddressKey[] =>
  keys.flatMap(({ spendPublicKey }, i) => {
    const index = indices[i];
    return index === undefined ? [] : [{ index, spendPublicKey }];
  });

/** Accounts of the wallet, their addresses and labels. */
export class Accounts {
  readonly #context: Context;
  readonly #services: Services;
  readonly #creating = new Mutex();
  /**
   * The last {@link listing} of all addresses of an account, with the store version and the account for which it is
   * valid.
   */
  #listed: { readonly key: string; readonly listing: AddressListing } | undefined;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** Returns the number of accounts. */
  count(): number {
    return this.#context.store.read((r) => r.accounts.count());
  }

  /** Checks that an account exists. @throws WalletError `account_out_of_range` */
  assertAccount(account: number): void {
    const count = this.count();
    if (account >= count) throw new WalletError({ kind: 'account_out_of_range', account, count });
  }

  /** Checks that an address was created. @throws WalletError `account_out_of_range`, `address_out_of_range` */
  assertIndex({ major, minor }: SubaddressIndex): void {
    this.assertAccount(major);
    const count = this.addressCount(major);
    if (minor >= count)
      throw new WalletError({ kind: 'address_out_of_range', account: major, index: minor, count });
  }

  /** Returns the number of created addresses of an account. */
  addressCount(account: number): number {
    return this.#context.store.read((r) => r.accounts.get(account)?.addressCount) ?? 0;
  }

  /** Returns the text of an own address, whether it was created or not. */
  address(index: SubaddressIndex): string {
    return this.#context.addresses.text(index);
  }

  /**
   * Returns the texts of several own addresses, in the order of their indices. Yields to the event loop between
   * batches.
   */
  addresses(indices: readonly SubaddressIndex[]): Promise<readonly string[]> {
    return this.#context.addresses.texts(indices);
  }

  /** Derives and caches the texts of own addresses in one batch, for later calls of {@link address}. */
  prepare(indices: readonly SubaddressIndex[]): void {
    this.#context.addresses.prepare(indices);
  }

  /** Returns an own address with its public keys, whether it was created or not. */
  decoded(index: SubaddressIndex): Address {
    return this.#context.addresses.decoded(index);
  }

  /**
   * Returns a listing of addresses of an account. The listing of all addresses is the same object until the store
   * changes.
   * @param minors empty: all addresses.
   * @throws WalletError `account_out_of_range`, `address_out_of_range`
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

  /** Reads all rows of a {@link listing} into memory: for few addresses. */
  async list(account: number, minors: readonly number[]): Promise<readonly AddressView[]> {
    const views: AddressView[] = [];
    for await (const page of this.listing(account, minors).pages()) views.push(...page);
    return views;
  }

  /** Returns the index of an own address. @throws WalletError `wrong_address` for an invalid or foreign address. */
  indexOf(text: string): SubaddressIndex {
    const { spendPublicKey } = this.parse(text);
    const index = this.#context.store.read((r) => r.subaddresses.find(spendPublicKey));
    if (index === undefined || !sameAddress(this.decoded(index), this.parse(text)))
      throw new WalletError({ kind: 'wrong_address', reason: "Address doesn't belong to the wallet" });
    return index;
  }

  /**
   * Returns the index of an own address, created or within the lookahead; undefined for a foreign address.
   * @throws WalletError `wrong_address` for an invalid address.
   */
  ownIndex(text: string): SubaddressIndex | undefined {
    const { spendPublicKey } = this.parse(text);
    return this.#context.store.read((r) => r.subaddresses.find(spendPublicKey));
  }

  /** Parses an address of the wallet's network. @throws WalletError `wrong_address` */
  parse(text: string): Address {
    const { network } = this.#context.keystore.keys;
    const address = tryParseAddress(text, network);
    if (address === undefined) throw noAddress(text, network);
    return address;
  }

  /** Parses an address, or looks up an OpenAlias name. @throws WalletError `wrong_address` */
  resolve(text: string): Promise<Address> {
    return this.#context.openAlias.resolve(text, this.#context.keystore.keys.network);
  }

  /** Returns the labels of the labelled addresses of an account, by minor index. */
  labels(account: number): ReadonlyMap<number, string> {
    if (this.#context.keystore.hidesNotes) return new Map();
    return this.#context.store.read((r) => r.subaddresses.labels(account));
  }

  /** Returns the labels of addresses, in the order of the indices; empty for an address without a label. */
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

  /**
   * Divides items with an address by their number and the length of their labels, which may be read for each of them
   * then: see {@link pagesOf}.
   */
  labelledPages<T>(
    items: readonly T[],
    most: number,
    indexOf: (item: T) => SubaddressIndex,
  ): AsyncIterable<readonly T[]> {
    const { assertOpen, keystore, store } = this.#context;
    return pagesOf(items, most, (part) => {
      assertOpen();
      if (keystore.hidesNotes) return 0;
      return store.read((r) => part.reduce((sum, item) => sum + r.subaddresses.labelBytes(indexOf(item)), 0));
    });
  }

  /** Returns the label of an address; empty for an address without a label, and while labels are hidden. */
  label(index: SubaddressIndex): string {
    if (this.#context.keystore.hidesNotes) return '';
    return this.#context.store.read((r) => r.subaddresses.label(index));
  }

  /**
   * Creates an account, whose first address gets the label. Leaves out accounts that the wallet may have had before it
   * was replaced by an older copy. @returns index of its first address.
   */
  create(label: string): CreatedAccount {
    const { store, addresses } = this.#context;
    const { sync } = this.#services;
    const { major, skipped, total } = store.write((w) => {
      const count = w.accounts.count();
      const gap = w.lostAddresses.gapBefore('accounts', count, 'reference');
      if (gap > 0) w.accounts.reach({ major: count + gap - 1, minor: 0 });
      const account = w.accounts.create();
      const added = Array.from({ length: gap + 1 }, (_, i) => ({ major: count + i, minor: 0 }));
      w.subaddresses.setLabel({ major: account, minor: 0 }, label);
      w.subaddresses.add(entries(added, addresses.keysOf(added)));
      w.lostAddresses.leaveGap('accounts', account, 'reference', sync.isComplete);
      if (gap > 0) w.lostAddresses.leaveGap(account, 1, 'reference', sync.isComplete);
      return { major: account, skipped: gap, total: w.accounts.addressSum() };
    });
    store.givenAddresses.noteUnsent(total);
    if (skipped > 0)
      this.#context.log.warn(
        { account: major, skipped },
        'accounts were left out before a new one: the wallet may have had them before it was restored',
      );
    sync.expandTo({ major, minor: 0 });
    return { major, minor: 0, skipped };
  }

  /**
   * Creates addresses of an account, all with one label, and yields to other work between batches. Stores the keys of
   * all addresses first, like keys of the lookahead, so that one transaction at the end creates all addresses. Leaves
   * out addresses that the wallet may have given out before it was restored.
   * @param count number of new addresses.
   * @param record writes in the transaction that creates the addresses; if it throws, the addresses are not created.
   * @throws WalletError `account_out_of_range`
   */
  async createAddresses(
    account: number,
    count: number,
    label: string,
    record: RecordAddresses = () => undefined,
    caller: AddressCaller = 'own',
  ): Promise<CreatedAddress[]> {
    const { store } = this.#context;
    const { indices, total } = await this.#creating.run(async () => {
      this.assertAccount(account);
      await this.#awaitBlocks(account, caller);
      const first = await this.#storeNew({ account, count, label, record, caller });
      const created = range(account, first, count);
      const sum = store.givenAddresses.count;
      await this.#labelRest(created, label);
      const last = created.at(-1);
      if (last !== undefined) this.#services.sync.expandTo(last);
      return { indices: created, total: sum };
    });
    const texts = await this.addresses(indices);
    // An address is returned only after it was written to disk.
    await store.flushToDisk();
    store.givenAddresses.note(total);
    return indices.map((index, i) => ({ index, address: texts[i] ?? '' }));
  }

  /**
   * Waits some seconds for a refresh before the first gap is left in an account of a restored wallet, because payments
   * to lost addresses show how many addresses were lost.
   */
  async #awaitBlocks(account: number, caller: AddressCaller): Promise<void> {
    const { sync } = this.#services;
    if (sync.isComplete) return;
    if (!this.#context.store.read((r) => r.lostAddresses.isUnknown(account, caller))) return;
    await waitAtMost(
      sync.refresh().catch(() => undefined),
      CATCH_UP_MS,
    );
    this.#context.assertOpen();
  }

  /**
   * Stores the keys of new addresses, creates the addresses, and labels the first {@link ADDRESSES_AT_ONCE} of them.
   * @returns minor index of the first new address.
   */
  async #storeNew({ account, count, label, record, caller }: NewAddresses): Promise<number> {
    const { addresses, assertOpen, log, store } = this.#context;
    const placeOf = (
      r: Pick<WalletReader, 'accounts' | 'lostAddresses'>,
    ): { readonly gap: number; readonly end: number } => {
      const start = r.accounts.get(account)?.addressCount ?? 0;
      const gap = count === 0 ? 0 : r.lostAddresses.gapBefore(account, start, caller);
      return { gap, end: start + gap + count };
    };
    // Minor index up to which keys are stored. A payment may create addresses of this account meanwhile.
    let stored = this.addressCount(account);
    for (;;) {
      const missing = store.read(placeOf).end - stored;
      const indices = range(account, stored, Math.min(ADDRESSES_AT_ONCE, Math.max(0, missing)));
      const keys = await addresses.derive(indices);
      assertOpen();
      stored += indices.length;
      addresses.add(indices, keys);
      const first = store.writeRecoverable((w) => {
        w.subaddresses.add(entries(indices, keys));
        const { gap, end } = placeOf(w);
        if (stored < end) return undefined;
        const next = w.accounts.addAddresses(account, gap + count) + gap;
        if (count > 0) w.lostAddresses.leaveGap(account, next, caller, this.#services.sync.isComplete);
        if (label !== '')
          for (const index of range(account, next, Math.min(count, ADDRESSES_AT_ONCE)))
            w.subaddresses.setLabel(index, label);
        record(w, { major: account, minor: next }, gap);
        return { next, gap };
      });
      if (first !== undefined) {
        const { next, gap: skipped } = first;
        if (skipped > 0)
          log.warn(
            { account, skipped, next },
            'addresses were left out before new ones: the wallet may have given them out before it was restored',
          );
        return next;
      }
      await betweenWrites(store);
    }
  }

  /** Labels the new addresses that {@link #storeNew} left unlabelled. */
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

  /** Sets the label of an address. @throws WalletError `account_out_of_range`, `address_out_of_range` */
  setLabel(index: SubaddressIndex, label: string): void {
    this.assertIndex(index);
    this.#context.store.write((w) => w.subaddresses.setLabel(index, label));
  }
}

const sameAddress = (a: Address, b: Address): boolean =>
  Buffer.compare(a.spendPublicKey, b.spendPublicKey) === 0 &&
  Buffer.compare(a.viewPublicKey, b.viewPublicKey) === 0;
