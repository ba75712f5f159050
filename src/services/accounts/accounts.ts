import { tryParseAddress } from '../../cryptonote/address.js';
import type { AddressKeys } from '../../cryptonote/subaddress-keys.js';
import type { Address, SubaddressIndex } from '../../cryptonote/types.js';
import { Mutex } from '../../util/mutex.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { SubaddressKey } from '../../wallet/model/records.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from '../sync/wallet-sync.js';

type Context = Pick<WalletContext, 'addresses' | 'assertOpen' | 'keystore' | 'openAlias' | 'store'>;

/** Sibling services. */
interface Services {
  readonly sync: WalletSync;
}

export interface AddressView {
  readonly address: string;
  readonly index: SubaddressIndex;
  readonly label: string;
  /** Whether the address has ever received an output. */
  readonly used: boolean;
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

/** Number of requested addresses above which reading labels and use of the whole account is faster. */
const MAX_SINGLE_LOOKUPS = 256;

/** Accounts, their addresses and labels. */
export class Accounts {
  readonly #context: Context;
  readonly #services: Services;
  readonly #creating = new Mutex();
  /** Result of the last {@link list} of a whole account. */
  #listed: { readonly key: string; readonly views: readonly AddressView[] } | undefined;

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
   * Lists addresses of an account. The list of all of them is the same object until the store changes.
   * @param minors empty: all addresses.
   * @throws WalletError for an account or address out of range.
   */
  async list(account: number, minors: readonly number[]): Promise<readonly AddressView[]> {
    this.assertAccount(account);
    if (minors.length > 0) {
      for (const minor of minors) this.assertIndex({ major: account, minor });
      const indices = minors.map((minor) => ({ major: account, minor }));
      return minors.length > MAX_SINGLE_LOOKUPS ? this.#views(indices, account) : this.#views(indices);
    }
    const { version } = this.#context.store;
    const { hidesNotes } = this.#context.keystore;
    const key = `${version} ${account} ${hidesNotes}`;
    if (this.#listed?.key === key) return this.#listed.views;
    const views = await this.#views(range(account, 0, this.addressCount(account)), account);
    if (version === this.#context.store.version && hidesNotes === this.#context.keystore.hidesNotes)
      this.#listed = { key, views };
    return views;
  }

  /** @param whole account whose labels and used addresses are all read at once; absent: one lookup per address. */
  async #views(indices: readonly SubaddressIndex[], whole?: number): Promise<readonly AddressView[]> {
    const texts = await this.addresses(indices);
    this.#context.assertOpen();
    return this.#context.store.read((r) => {
      const labels = whole === undefined ? undefined : this.labels(whole);
      const used = whole === undefined ? undefined : new Set(r.balances.usedAddresses(whole));
      const imported = new Set(indices[0] === undefined ? [] : r.imported.usedAddresses(indices[0].major));
      return indices.map((index, i) => ({
        address: texts[i] ?? '',
        index,
        label: labels === undefined ? this.label(index) : (labels.get(index.minor) ?? ''),
        used: (used?.has(index.minor) ?? r.balances.isUsed(index)) || imported.has(index.minor),
      }));
    });
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
   * Creates addresses, all with one label, in one store transaction. Yields to the event loop while it derives many.
   * @param count number of new addresses. @throws WalletError `account_out_of_range`
   */
  async createAddresses(account: number, count: number, label: string): Promise<CreatedAddress[]> {
    const created = await this.#creating.run(async () => {
      this.assertAccount(account);
      const expected = this.addressCount(account);
      const derived = await this.#context.addresses.derive(range(account, expected, count));
      this.#context.assertOpen();
      const indices = this.#context.store.writeRecoverable((w) => {
        const first = w.accounts.addAddresses(account, count);
        // A payment received meanwhile may have created addresses too.
        const keys = first < expected ? [] : derived.slice(first - expected);
        const missing = range(account, first + keys.length, count - keys.length);
        const all = missing.length === 0 ? keys : [...keys, ...this.#context.addresses.keysOf(missing)];
        const added = range(account, first, count);
        w.subaddresses.add(entries(added, all));
        if (label !== '') for (const index of added) w.subaddresses.setLabel(index, label);
        this.#context.addresses.add(added, all);
        return added;
      });
      const last = indices.at(-1);
      if (last !== undefined) this.#services.sync.expandTo(last);
      return indices.map((index) => ({ index, address: this.address(index) }));
    });
    // An address is returned only once it is on disk.
    await this.#context.store.flushToDisk();
    return created;
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
