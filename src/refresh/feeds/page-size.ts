import { DaemonError } from '../../daemon/errors.js';

/** Target size of a page [bytes]. */
const WANTED_BYTES = 32 << 20;

/**
 * Smallest number of blocks of a page. The first block of a page is already known, so a page of one block brings
 * nothing new.
 */
const FEWEST_BLOCKS = 2;

/**
 * Largest number of blocks that a daemon sends in a page. Source: cryptonote_config.h
 * `COMMAND_RPC_GET_BLOCKS_FAST_MAX_BLOCK_COUNT`.
 */
export const MOST_BLOCKS = 1000;

/** Chooses the number of blocks to request for the next page from the sizes of the last pages. */
export class PageSize {
  /** Number of blocks to request; undefined: the daemon decides. */
  #blocks: number | undefined;

  get maxBlocks(): number | undefined {
    return this.#blocks;
  }

  /**
   * Adjusts the number of blocks to the size of the last page. A daemon that does not know `max_block_count` sends full
   * pages regardless.
   */
  adjust(blocks: number, bytes: number): void {
    const fitting = Math.floor((blocks * WANTED_BYTES) / Math.max(bytes, 1));
    if (bytes > WANTED_BYTES) this.#set(fitting);
    else if (this.#blocks !== undefined) this.#set(Math.min(fitting, 2 * this.#blocks));
  }

  /** Reduces the number of blocks after an answer that was too large. @returns false if it is the smallest already. */
  shrink(): boolean {
    if (this.#blocks === FEWEST_BLOCKS) return false;
    this.#set(Math.floor((this.#blocks ?? MOST_BLOCKS) / 10));
    return true;
  }

  #set(blocks: number): void {
    this.#blocks = blocks >= MOST_BLOCKS ? undefined : Math.max(blocks, FEWEST_BLOCKS);
  }
}

/**
 * Fetches a page, and retries with fewer blocks while the answer is too large.
 * @param fetch called with the number of blocks to request. @throws the error of `fetch`, for the smallest page too.
 */
export async function fetchFitting<P extends { readonly blocks: readonly unknown[]; readonly bytes: number }>(
  size: PageSize,
  fetch: (maxBlocks: number | undefined) => Promise<P>,
): Promise<P> {
  for (;;) {
    try {
      const page = await fetch(size.maxBlocks);
      size.adjust(page.blocks.length, page.bytes);
      return page;
    } catch (error) {
      if (!(error instanceof DaemonError) || error.kind !== 'too_large' || !size.shrink()) throw error;
    }
  }
}
