import { hasFindings, type BlockRef, type PageFindings } from '../monero/wallet/model/records.js';

/** Deferred blocks at most: the least limit of a store, and the number of different limits. */
const LEAST_LIMIT = 10;
const LIMITS = 10;

/** Stores of this process that have a limit. */
let limited = 0;

/**
 * Blocks on top of the stored ones that change nothing but a wallet's tip. They are kept in memory until the next write
 * of the store: after a crash they are scanned again. Stores have different limits, so that the wallets of a process do
 * not all write at the same block.
 */
export class DeferredBlocks {
  readonly #limit = LEAST_LIMIT + (limited++ % LIMITS);
  #page: PageFindings | undefined;

  /** The deferred blocks as one page; undefined if there are none. */
  get page(): PageFindings | undefined {
    return this.#page;
  }

  /** Number of blocks of the chain with the deferred ones; undefined if there are none. */
  get height(): number | undefined {
    return this.#page && this.#page.startHeight + this.#page.hashes.length;
  }

  /** True if the page has no findings and may be deferred without exceeding the limit. */
  hasRoomFor(page: PageFindings): boolean {
    const count = (this.#page?.hashes.length ?? 0) + page.hashes.length;
    return page.hashes.length > 0 && count <= this.#limit && !hasFindings(page);
  }

  /** Adds a page for which there is room, at {@link height} if there are deferred blocks. */
  add({ startHeight, hashes, lastBlockReward }: PageFindings): void {
    const before = this.#page ?? { startHeight, hashes: [] };
    this.#page = {
      startHeight: before.startHeight,
      hashes: [...before.hashes, ...hashes],
      lastBlockReward,
      ...{ received: [], outputs: [], spends: [], outgoing: [], subaddresses: [] },
    };
  }

  /** Returns the deferred blocks, newest first. */
  newestFirst(): BlockRef[] {
    const { startHeight, hashes } = this.#page ?? { startHeight: 0, hashes: [] };
    return hashes.map((hash, i) => ({ height: startHeight + i, hash })).reverse();
  }

  clear(): void {
    this.#page = undefined;
  }
}
