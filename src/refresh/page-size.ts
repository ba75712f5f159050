import { DaemonError } from '../daemon/errors.js';

/** Size at which a page is quickly read and scanned, bytes. */
const WANTED_BYTES = 32 << 20;

/** A page starts with a block that the wallet holds: one alone would bring nothing new. */
const FEWEST_BLOCKS = 2;

/** Blocks of a page at most, whatever is asked. Source: cryptonote_config.h `COMMAND_RPC_GET_BLOCKS_FAST_MAX_BLOCK_COUNT`. */
export const MOST_BLOCKS = 1000;

/** Number of blocks to ask for in a page, from the sizes of those that came before. */
export class PageSize {
  /** Undefined: as many as the daemon gives. */
  #blocks: number | undefined;

  get maxBlocks(): number | undefined {
    return this.#blocks;
  }

  /** Adjusts the next page to the size of one that came. Daemons older than the request's field send whole pages on. */
  adjust(blocks: number, bytes: number): void {
    const fitting = Math.floor((blocks * WANTED_BYTES) / Math.max(bytes, 1));
    if (bytes > WANTED_BYTES) this.#set(fitting);
    else if (this.#blocks !== undefined) this.#set(Math.min(fitting, 2 * this.#blocks));
  }

  /** Asks for fewer blocks, after a page that was too large. @returns false if there are no smaller pages. */
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
 * Fetches a page, in smaller ones where it is too large to be taken.
 * @param fetch given the number of blocks to ask for. @throws what it throws, once no page is smaller.
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
