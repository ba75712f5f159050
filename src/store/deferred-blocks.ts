import { hasFindings, type BlockRef, type PageFindings } from '../monero/wallet/scan/findings.js';

/**
 * Smallest limit of a store on its number of deferred blocks; the limits of successive stores cover this many values
 * from there.
 */
const LEAST_LIMIT = 10;
const LIMITS = 10;

/** Number of stores that were given a limit in this process. */
let limited = 0;

/**
 * Blocks above the stored ones that change nothing in a wallet but its tip. They are kept in memory until the next
 * write of the store; after a crash they are scanned again. Each store has its own limit on their number, so that the
 * wallets of a process do not all write at the same block.
 */
export class DeferredBlocks {
  readonly #limit = LEAST_LIMIT + (limited++ % LIMITS);
  #page: PageFindings | undefined;

  /** All deferred blocks as one page; undefined if there are none. */
  get page(): PageFindings | undefined {
    return this.#page;
  }

  /** Number of blocks of the chain, deferred blocks included; undefined if no block is deferred. */
  get height(): number | undefined {
    return this.#page && this.#page.startHeight + this.#page.hashes.length;
  }

  /** Returns true if a page has no findings and its blocks do not exceed the limit. */
  hasRoomFor(page: PageFindings): boolean {
    const count = (this.#page?.hashes.length ?? 0) + page.hashes.length;
    return page.hashes.length > 0 && count <= this.#limit && !hasFindings(page);
  }

  /**
   * Adds the blocks of a page for which {@link hasRoomFor} has returned true. If blocks are deferred already, the page
   * must start at {@link height}.
   */
  add({ startHeight, hashes, lastBlockReward, lastBlockTime }: PageFindings): void {
    const before = this.#page ?? { startHeight, hashes: [] };
    this.#page = {
      startHeight: before.startHeight,
      hashes: [...before.hashes, ...hashes],
      ...{ lastBlockReward, lastBlockTime },
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
