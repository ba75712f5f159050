import { formatAddress, tryParseAddress } from '../cryptonote/address.js';
import { isPrimary, subaddressKeys, subaddressSpendPublicKeys } from '../cryptonote/subaddress-keys.js';
import type { Address, SubaddressIndex } from '../cryptonote/types.js';
import { addressKeysOf } from '../refresh/address-keys.js';
import { WalletError } from '../wallet/fault.js';
import type { SubaddressKey } from '../wallet/records.js';
import type { WalletSession } from './wallet-session.js';

const keyOf = ({ major, minor }: SubaddressIndex): string => `${major}/${minor}`;

/** Fewer addresses than this are worked out as quickly one by one. */
const WORTH_A_BATCH = 4;

export interface AddressView {
  readonly address: string;
  readonly index: SubaddressIndex;
  readonly label: string;
  /** An output was received there at some time. */
  readonly used: boolean;
}

/** Accounts, their addresses and labels. */
export class Accounts {
  readonly #session: WalletSession;
  /** Deriving an address costs curve arithmetic; the text never changes. */
  readonly #texts = new Map<string, string>();

  constructor(session: WalletSession) {
    this.#session = session;
  }

  count(): number {
    return this.#session.file.read((r) => r.accounts.count());
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
    return this.#session.file.read((r) => r.accounts.get(account)?.addressCount) ?? 0;
  }

  /** Works out in one go what {@link address} is about to be asked for. */
  prepare(indices: readonly SubaddressIndex[]): void {
    const missing = new Map<string, SubaddressIndex>();
    for (const index of indices) {
      const key = keyOf(index);
      if (!this.#texts.has(key) && !isPrimary(index)) missing.set(key, index);
    }
    if (missing.size < WORTH_A_BATCH) return;
    const { network, spendPublicKey, viewSecret } = this.#session.keys;
    const keys = addressKeysOf(spendPublicKey, viewSecret.expose(), [...missing.values()]);
    [...missing.keys()].forEach((key, i) => {
      const own = keys[i];
      if (own !== undefined) this.#texts.set(key, formatAddress({ network, kind: 'subaddress', ...own }));
    });
  }

  /** Text of any address of ours, handed out or not. */
  address(index: SubaddressIndex): string {
    const key = keyOf(index);
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const text = formatAddress(this.decoded(index));
    this.#texts.set(key, text);
    return text;
  }

  decoded(index: SubaddressIndex): Address {
    const { network, spendPublicKey, viewPublicKey, viewSecret } = this.#session.keys;
    if (isPrimary(index)) return { network, kind: 'standard', spendPublicKey, viewPublicKey };
    const keys = subaddressKeys(spendPublicKey, viewSecret.expose(), index);
    return { network, kind: 'subaddress', ...keys };
  }

  /** The account's addresses, or those asked for. @throws WalletError for an account or address out of range. */
  list(account: number, minors: readonly number[]): AddressView[] {
    this.assertAccount(account);
    const wanted =
      minors.length > 0 ? minors : Array.from({ length: this.addressCount(account) }, (_, minor) => minor);
    for (const minor of minors) this.assertIndex({ major: account, minor });
    return this.#session.file.read((r) => {
      const labels = this.labels(account);
      this.prepare(wanted.map((minor) => ({ major: account, minor })));
      const used = new Set([...r.holdings.usedAddresses(account), ...r.imported.usedAddresses(account)]);
      return wanted.map((minor) => {
        const index = { major: account, minor };
        return {
          address: this.address(index),
          index,
          label: labels.get(minor) ?? '',
          used: used.has(minor),
        };
      });
    });
  }

  /** Which of our addresses a text is. @throws WalletError `wrong_address` for a bad or foreign one. */
  indexOf(text: string): SubaddressIndex {
    const { spendPublicKey } = this.parse(text);
    const index = this.#session.file.read((r) => r.subaddresses.find(spendPublicKey));
    if (index === undefined || !sameAddress(this.decoded(index), this.parse(text)))
      throw new WalletError({ kind: 'wrong_address', reason: "Address doesn't belong to the wallet" });
    return index;
  }

  /** @throws WalletError `wrong_address` */
  parse(text: string): Address {
    const address = tryParseAddress(text, this.#session.keys.network);
    if (address === undefined) throw new WalletError({ kind: 'wrong_address', reason: 'Invalid address' });
    return address;
  }

  /** An address, or the one that an OpenAlias name stands for. @throws WalletError `wrong_address` */
  resolve(text: string): Promise<Address> {
    return this.#session.openAlias.resolve(text, this.#session.keys.network);
  }

  /** Of the addresses of an account that have one, by minor index. */
  labels(account: number): ReadonlyMap<number, string> {
    if (this.#session.keyKeeper.hidesNotes) return new Map();
    return this.#session.file.read((r) => r.subaddresses.labels(account));
  }

  label(index: SubaddressIndex): string {
    if (this.#session.keyKeeper.hidesNotes) return '';
    return this.#session.file.read((r) => r.subaddresses.label(index));
  }

  create(label: string): SubaddressIndex {
    const major = this.#session.file.write((w) => {
      const account = w.accounts.create();
      w.subaddresses.setLabel({ major: account, minor: 0 }, label);
      w.subaddresses.add(this.#keys(account, 0, 1));
      return account;
    });
    return this.#handedOut({ major, minor: 0 });
  }

  /** @param count new addresses, all with the label. @throws WalletError `account_out_of_range` */
  createAddresses(account: number, count: number, label: string): SubaddressIndex[] {
    this.assertAccount(account);
    const first = this.#session.file.write((w) => {
      const start = w.accounts.addAddresses(account, count);
      w.subaddresses.add(this.#keys(account, start, count));
      if (label !== '')
        for (let i = 0; i < count; i++) w.subaddresses.setLabel({ major: account, minor: start + i }, label);
      return start;
    });
    const created = Array.from({ length: count }, (_, i) => ({ major: account, minor: first + i }));
    this.#handedOut({ major: account, minor: first + count - 1 });
    return created;
  }

  /** @throws WalletError for an account or address out of range. */
  setLabel(index: SubaddressIndex, label: string): void {
    this.assertIndex(index);
    this.#session.file.write((w) => w.subaddresses.setLabel(index, label));
  }

  /** Entries by which payments to new addresses are recognised, written with them. */
  #keys(major: number, first: number, count: number): SubaddressKey[] {
    const { spendPublicKey, viewSecret } = this.#session.keys;
    return subaddressSpendPublicKeys(spendPublicKey, viewSecret.expose(), major, first, first + count).map(
      (key, i) => ({
        index: { major, minor: first + i },
        spendPublicKey: key,
      }),
    );
  }

  #handedOut(index: SubaddressIndex): SubaddressIndex {
    this.#session.expandTo(index);
    return index;
  }
}

const sameAddress = (a: Address, b: Address): boolean =>
  Buffer.compare(a.spendPublicKey, b.spendPublicKey) === 0 &&
  Buffer.compare(a.viewPublicKey, b.viewPublicKey) === 0;
