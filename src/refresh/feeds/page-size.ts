import { DaemonError } from '../../daemon/errors.js';

/** Target size of a page (bytes). */
const WANTED_BYTES = 32 << 20;

/** Fewest blocks of a page. Its first block overlaps the page before, so one block alone brings nothing new. */
const FEWEST_BLOCKS = 2;

/** Most blocks of a page that a daemon sends. Source: cryptonote_config.h `COMMAND_RPC_GET_BLOCKS_FAST_MAX_BLOCK_COUNT`. */
export const MOST_BLOCKS = 1000;

/** Chooses the number of blocks of the next page by the sizes of the pages before. */
export class PageSize {
  /** Undefined: the daemon decides. */
  #blocks: number | undefined;

  get maxBlocks(): number | undefined {
    return this.#blocks;
  }

  /** Adjusts the next page to the size of the last one. Daemons that do not know the limit keep sending whole pages. */
  adjust(blocks: number, bytes: number): void {
    const fitting = Math.floor((blocks * WANTED_BYTES) / Math.max(bytes, 1));
    if (bytes > WANTED_BYTES) this.#set(fitting);
    else if (this.#blocks !== undefined) this.#set(Math.min(fitting, 2 * this.#blocks));
  }

  /** Reduces the number of blocks after a page that was too large. @returns false for the smallest page. */
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
