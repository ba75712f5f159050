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
  /** True if the newest state comes from elsewhere, so that the file itself may be another file each time. */
  readonly isReplicated: boolean;
}

/**
 * Detects, by a record beside the store, that an older copy has taken the place of a store. Such a copy lacks addresses
 * that were given out. The record contains the number of these addresses; its time of creation, which the store also
 * contains, shows whether the record was copied together with the store.
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
   * Compares the store with its record, creates a missing record, and marks an older copy, in which new addresses then
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

  /** Records that addresses were created, and are on disk. @param count number of all addresses after the creation. */
  note(count: number): void {
    if (this.#place !== undefined) noteAddresses(this.#place.path, count);
  }

  /**
   * Notes created addresses that the sink of a replicated store may not have yet, so that a later call records them.
   */
  noteUnsent(count: number): void {
    if (this.#place?.isReplicated !== true) this.note(count);
  }
}
