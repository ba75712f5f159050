import { formatAddress } from '../../monero/cryptonote/address.js';
import { isPrimary, type AddressKeys } from '../../monero/cryptonote/subaddress-keys.js';
import type { Address, SubaddressIndex } from '../../monero/cryptonote/types.js';
import { addressKeysOf } from '../../monero/wallet/scan/subaddress-table.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import type { WalletKeys } from '../../monero/wallet/keys.js';
import { AddressTexts } from './address-texts.js';

/** Number of addresses derived between two yields to the event loop: some 5 ms. */
export const ADDRESSES_AT_ONCE = 128;

/** Number of addresses prefetched between two yields to the event loop: well below a millisecond. */
const PREFETCH_BATCH_SIZE = 16;

/** Number of cached texts at which prefetching stops: requests to a larger wallet list few addresses at a time. */
const MAX_PREFETCHED = 2000;

/** Limit of the cached texts [bytes]: 95 bytes each, enough for more than a million addresses. */
const MAX_CACHED_BYTES = 160 << 20;

/** Derives the wallet's own addresses, many of them in batches. Caches their texts, which never change. */
export class AddressCache {
  readonly #keys: () => WalletKeys;
  readonly #cache: AddressTexts;
  /** Indices of addresses whose texts are still to be prefetched. */
  #queue: SubaddressIndex[] = [];

  /** @param limit size of all cached texts [bytes]. */
  constructor(keys: () => WalletKeys, limit = MAX_CACHED_BYTES) {
    this.#keys = keys;
    this.#cache = new AddressTexts(limit);
  }

  decoded(index: SubaddressIndex): Address {
    const { network, spendPublicKey, viewPublicKey } = this.#keys();
    if (isPrimary(index)) return { network, kind: 'standard', spendPublicKey, viewPublicKey };
    const [keys] = this.keysOf([index]);
    if (keys === undefined) throw new RangeError('an address without keys');
    return { network, kind: 'subaddress', ...keys };
  }

  /** Derives the keys of subaddresses, in the order of the indices. @param indices must not contain {0, 0}. */
  keysOf(indices: readonly SubaddressIndex[]): AddressKeys[] {
    const { spendPublicKey, viewSecret } = this.#keys();
    return addressKeysOf(spendPublicKey, viewSecret.expose(), indices);
  }

  /** Returns the text of an own address, derived now or cached. */
  text(index: SubaddressIndex): string {
    return this.#cache.get(index) ?? this.#add(index, formatAddress(this.decoded(index)));
  }

  /** Returns the texts of own addresses, in the order of the indices; derives the missing ones in one batch. */
  textsOf(indices: readonly SubaddressIndex[]): readonly string[] {
    const cached = indices.map((index) => this.#cache.get(index));
    if (cached.includes(undefined)) this.prepare(indices);
    return indices.map((index, i) => cached[i] ?? this.text(index));
  }

  /** Derives and caches the missing texts of addresses, all in one batch. */
  prepare(indices: readonly SubaddressIndex[]): void {
    const missing = this.#missing(indices);
    if (missing.length > 0) this.add(missing, this.keysOf(missing));
  }

  /** Derives and caches the texts of addresses in the background, in small batches. */
  prefetch(indices: readonly SubaddressIndex[]): void {
    if (this.#cache.count + this.#queue.length >= MAX_PREFETCHED) return;
    const missing = this.#missing(indices);
    if (missing.length === 0) return;
    const isRunning = this.#queue.length > 0;
    this.#queue.push(...missing);
    if (!isRunning) void this.#runPrefetch();
  }

  async #runPrefetch(): Promise<void> {
    while (this.#queue.length > 0) {
      await yieldToEventLoop();
      try {
        this.prepare(this.#queue.slice(0, PREFETCH_BATCH_SIZE));
        this.#queue.splice(0, PREFETCH_BATCH_SIZE);
      } catch {
        // The wallet was closed meanwhile, or the derivation failed: the call that needs the text fails with the
        // same error.
        this.#queue = [];
      }
    }
  }

  /**
   * Returns the texts of addresses, in the order of the indices. Yields to the event loop between batches, also for
   * cached texts.
   */
  texts(indices: readonly SubaddressIndex[]): Promise<readonly string[]> {
    return this.#inBatches(indices, (batch) => this.textsOf(batch));
  }

  /** Derives the keys of subaddresses as {@link keysOf}, and yields to the event loop between batches. */
  derive(indices: readonly SubaddressIndex[]): Promise<AddressKeys[]> {
    return this.#inBatches(indices, (batch) => this.keysOf(batch));
  }

  async #inBatches<T>(
    indices: readonly SubaddressIndex[],
    task: (batch: readonly SubaddressIndex[]) => readonly T[],
  ): Promise<T[]> {
    const results: T[] = [];
    for (let start = 0; start < indices.length; start += ADDRESSES_AT_ONCE) {
      if (start > 0) await yieldToEventLoop();
      for (const item of task(indices.slice(start, start + ADDRESSES_AT_ONCE))) results.push(item);
    }
    return results;
  }

  /** Caches the texts of addresses from keys that the caller has derived. @param indices must not contain {0, 0}. */
  add(indices: readonly SubaddressIndex[], keys: readonly AddressKeys[]): void {
    const { network } = this.#keys();
    indices.forEach((index, i) => {
      const own = keys[i];
      if (own !== undefined) this.#add(index, formatAddress({ network, kind: 'subaddress', ...own }));
    });
  }

  #missing(indices: readonly SubaddressIndex[]): SubaddressIndex[] {
    const missing = new Map<string, SubaddressIndex>();
    for (const index of indices)
      if (!isPrimary(index) && this.#cache.get(index) === undefined)
        missing.set(`${index.major}/${index.minor}`, index);
    return [...missing.values()];
  }

  #add(index: SubaddressIndex, text: string): string {
    this.#cache.set(index, text);
    return text;
  }
}
