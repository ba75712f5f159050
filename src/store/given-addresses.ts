import { createAddressRecord, noteAddresses, readAddressRecord } from './file/address-record.js';
import type { WalletReader } from './wallet-reader.js';
import type { WalletWriter } from './wallet-writer.js';

interface Store {
  read<T>(task: (r: WalletReader) => T): T;
  write<T>(task: (w: WalletWriter) => T): T;
}

/** Place of a store on disk. */
interface Place {
  readonly path: string;
  /** True if the newest state comes from elsewhere: the file itself may be another one each time. */
  readonly isReplicated: boolean;
}

/**
 * Detects by a record beside the store that an older copy has taken the place of a store, which lacks addresses that were
 * given out. The record has their number; and its time of creation, which the store knows, shows that it was copied, too.
 */
export class GivenAddresses {
  readonly #store: Store;
  readonly #place: Place | undefined;

  /** @param place undefined for a store in memory, which nothing can replace. */
  constructor(store: Store, place: Place | undefined) {
    this.#store = store;
    this.#place = place;
  }

  /** Number of addresses of the wallet. */
  get count(): number {
    return this.#store.read((r) => r.accounts.addressSum());
  }

  /**
   * Compares the store with its record, which is created if it is missing, and marks an older copy: new addresses then
   * leave a gap.
   * @returns true for an older copy, and for any other store that was not written last at this place.
   * @throws WalletError `wallet_io`
   */
  check(): boolean {
    if (this.#place === undefined) return false;
    const { path, isReplicated } = this.#place;
    const { count } = this;
    const record = readAddressRecord(path);
    const known = this.#store.read((r) => r.meta.get('address_record'));
    const isElsewhere = !isReplicated && known !== undefined && known !== record?.born;
    const isOlder = isElsewhere || (record !== undefined && record.count > count);
    const born = record?.born ?? createAddressRecord(path, count);
    if (isOlder || known === undefined)
      this.#store.write((w) => {
        if (isOlder) w.lostAddresses.mark('older copy');
        w.meta.set('address_record', born);
      });
    // The mark is on disk.
    if (isOlder) this.note(count);
    return isOlder;
  }

  /** Records that addresses were created, which are on disk. @param count number of all addresses then. */
  note(count: number): void {
    if (this.#place !== undefined) noteAddresses(this.#place.path, count);
  }

  /** Does the same for addresses that the sink of a replicated store may not have yet: a later call records these. */
  noteUnsent(count: number): void {
    if (this.#place?.isReplicated !== true) this.note(count);
  }
}
