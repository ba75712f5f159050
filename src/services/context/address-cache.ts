import { formatAddress } from '../../monero/cryptonote/address.js';
import { isPrimary, type AddressKeys } from '../../monero/cryptonote/subaddress-keys.js';
import type { Address, SubaddressIndex } from '../../monero/cryptonote/types.js';
import { subaddressKeysIn } from '../../monero/wallet/carrot-keys.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import type { WalletKeys } from '../../monero/wallet/keys.js';

/** Number of addresses derived between two yields to the event loop: some 5 ms. */
export const ADDRESSES_AT_ONCE = 128;

/** As {@link ADDRESSES_AT_ONCE}, of an account of the fork, whose addresses take three times as long. */
const CARROT_ADDRESSES_AT_ONCE = 32;

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
  /** Number of addresses between two yields to the event loop; fewer once an account of the fork has derived some. */
  #atOnce = ADDRESSES_AT_ONCE;
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
    const keys = this.#keys();
    if (keys.carrot !== undefined) this.#atOnce = CARROT_ADDRESSES_AT_ONCE;
    return subaddressKeysIn(keys, indices);
  }

  /** Returns the text of an own address, derived now or cached. */
  text(index: SubaddressIndex): string {
    return this.#cache.get(index) ?? this.#add(index, formatAddress(this.decoded(index)));
  }

  /** Returns the texts of own addresses, in the order of the indices; derives missing texts in one batch. */
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
    for (let start = 0; start < indices.length;) {
      if (start > 0) await yieldToEventLoop();
      const batch = indices.slice(start, start + this.#atOnce);
      for (const item of task(batch)) results.push(item);
      start += batch.length;
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

/**
 * Length of the text of a subaddress or a standard address [bytes]. Source: cryptonote_basic_impl.cpp
 * `get_account_address_as_str`.
 */
const TEXT_BYTES = 95;

/** Number of addresses of an account, with consecutive minor indices, whose texts share one block. */
const BLOCK_ADDRESSES = 256;

/**
 * Texts of addresses, packed outside the JavaScript heap: as strings in maps, a million texts would take twice the
 * memory, and maps of this size block the thread while they grow. At the limit the oldest block is dropped.
 */
export class AddressTexts {
  readonly #limit: number;
  /** Blocks of texts, by account and number of the block; a missing text is zeros. A block ends after its last text. */
  readonly #blocks = new Map<string, Buffer>();
  #bytes = 0;
  #count = 0;

  /** @param limit size of all blocks [bytes]. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of texts that were added so far. */
  get count(): number {
    return this.#count;
  }

  /** Returns the text of an address; undefined if it was not added, or was dropped. */
  get(index: SubaddressIndex): string | undefined {
    const block = this.#blocks.get(keyOf(index));
    const at = offsetOf(index);
    if (block === undefined || (block[at] ?? 0) === 0) return undefined;
    return block.toString('latin1', at, at + TEXT_BYTES);
  }

  /** Adds a text, unless its length differs from the length of addresses of the known networks. */
  set(index: SubaddressIndex, text: string): void {
    if (text.length !== TEXT_BYTES) return;
    const at = offsetOf(index);
    this.#blockFor(keyOf(index), at + TEXT_BYTES).write(text, at, 'latin1');
    this.#count += 1;
  }

  /** Returns a block of at least the given length [bytes]; creates or enlarges it. */
  #blockFor(key: string, bytes: number): Buffer {
    const known = this.#blocks.get(key);
    if (known !== undefined && known.length >= bytes) return known;
    // A block grows to twice its size: most accounts have few addresses.
    const size = Math.min(
      BLOCK_ADDRESSES * TEXT_BYTES,
      Math.max(2 * (known?.length ?? 0), Math.ceil(bytes / TEXT_BYTES) * TEXT_BYTES),
    );
    const block = Buffer.alloc(size);
    known?.copy(block);
    this.#blocks.set(key, block);
    this.#bytes += size - (known?.length ?? 0);
    this.#dropOldest(key);
    return block;
  }

  /** Drops the oldest block. @param kept key of a block that must stay. */
  #dropOldest(kept: string): void {
    for (const [key, block] of this.#blocks) {
      if (this.#bytes <= this.#limit) return;
      if (key === kept) continue;
      this.#blocks.delete(key);
      this.#bytes -= block.length;
    }
  }
}

const keyOf = ({ major, minor }: SubaddressIndex): string =>
  `${major}/${Math.floor(minor / BLOCK_ADDRESSES)}`;

const offsetOf = ({ minor }: SubaddressIndex): number => (minor % BLOCK_ADDRESSES) * TEXT_BYTES;
