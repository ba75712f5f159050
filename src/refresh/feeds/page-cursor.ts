import { monotonicMs } from '../../util/clock.js';
import { type BlockSource, fetchPage, type ChainPage, PageSize } from './chain-page.js';
import type { ExpectedChain } from '../scan/chain-block.js';
import { positionAfter, type ChainPosition } from './chain-position.js';

export interface PageCursorOptions {
  readonly daemon: BlockSource;
  readonly chain: ExpectedChain;
}

/** Time and result of the daemon's last answer. */
export interface PageAnswer {
  /** Time of the request, by `monotonicMs` [ms]. */
  readonly issuedAt: number;
  /** True if the daemon had no newer block. */
  readonly reachesTip: boolean;
}

/** Fetches consecutive pages of the daemon's chain, one request at a time. */
export class PageCursor {
  readonly #options: PageCursorOptions;
  readonly #onEnd: (page: ChainPage | undefined) => void;
  readonly #size = new PageSize();
  #position: ChainPosition;
  #request: AbortController | undefined;
  #answer: PageAnswer | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** @param onEnd is called with each page; with undefined when there is no newer block, or when a request failed. */
  constructor(
    position: ChainPosition,
    options: PageCursorOptions,
    onEnd: (page: ChainPage | undefined) => void,
  ) {
    this.#position = position;
    this.#options = options;
    this.#onEnd = onEnd;
  }

  /** Position after the last block of the last fetched page. */
  get position(): ChainPosition {
    return this.#position;
  }

  get isRequesting(): boolean {
    return this.#request !== undefined;
  }

  get answer(): PageAnswer | undefined {
    return this.#answer;
  }

  /**
   * Error of the request that failed, or of the block at which the last page ends; no page is fetched after it.
   * Undefined while there is no error.
   */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Requests the next page, unless a request is under way or has failed. */
  fetch(): void {
    if (this.#request !== undefined || this.#failure !== undefined) return;
    const request = new AbortController();
    this.#request = request;
    const issuedAt = monotonicMs();
    const { daemon, chain } = this.#options;
    fetchPage(daemon, this.#position, { chain, size: this.#size, signal: request.signal })
      .then((page) => {
        this.#answer = { issuedAt, reachesTip: page?.reachesTip ?? true };
        if (page !== undefined)
          this.#position = positionAfter(this.#position, page.blocks.slice(page.firstNew));
        if (page?.end !== undefined) this.#failure = { error: page.end };
        this.#request = undefined;
        this.#onEnd(page);
      })
      .catch((error: unknown) => {
        this.#request = undefined;
        this.#failure = { error };
        this.#onEnd(undefined);
      });
  }

  /** Ends the request under way. */
  abort(): void {
    this.#request?.abort(new Error('no wallet waits for this page'));
  }
}
