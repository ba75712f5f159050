import type { HeightRange } from '../../store/sql/height-pages.js';
import type { Snapshot } from '../../store/snapshot.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { yieldToEventLoop } from '../../util/yield-to-event-loop.js';
import type { WalletContext } from '../context/wallet-context.js';

export type PagedReaderContext = Pick<WalletContext, 'store' | 'assertOpen'>;

/**
 * Rows read before other work has its turn: a millisecond or two. With more of them what they are made into outlives
 * V8's collections of what is new, and fills the heap.
 */
const ROWS_AT_ONCE = 256;

/** How a list is read. */
export interface PagedList<Page> {
  /** Rows of a page, about. */
  readonly atOnce?: number;
  /** Height up to which a range holds so many rows, whole blocks; undefined when it holds fewer. */
  readonly end: (r: WalletReader, range: HeightRange, rows: number) => number | undefined;
  readonly read: (r: WalletReader, range: HeightRange) => Page;
}

/**
 * Reads long lists page by page, all of them from the store as it is when the first is asked for; other work goes on
 * between pages. All lists are asked for in one turn. A store in memory is read in one go.
 */
export class PagedReader {
  readonly #context: PagedReaderContext;
  #snapshot: Snapshot | undefined;

  constructor(context: PagedReaderContext) {
    this.#context = context;
  }

  /** @throws WalletError `no_wallet` where it is closed meanwhile */
  pages<Page>(range: HeightRange, list: PagedList<Page>): AsyncIterable<Page> {
    const { store } = this.#context;
    const first = store.read((r) => this.#page(r, range, list));
    if (first.end !== undefined) this.#snapshot ??= store.snapshot();
    return this.#from(first, range, list);
  }

  /** Nothing is read any more. */
  release(): void {
    this.#snapshot?.release();
    this.#snapshot = undefined;
  }

  async *#from<Page>(
    first: { readonly page: Page; readonly end: number | undefined },
    range: HeightRange,
    list: PagedList<Page>,
  ): AsyncGenerator<Page> {
    let { page, end } = first;
    yield page;
    while (end !== undefined) {
      await yieldToEventLoop();
      this.#context.assertOpen();
      if (this.#snapshot === undefined) throw new Error('read after the release');
      const rest = { ...range, min: end };
      ({ page, end } = this.#snapshot.read((r) => this.#page(r, rest, list)));
      yield page;
    }
  }

  #page<Page>(
    r: WalletReader,
    range: HeightRange,
    { end, read, atOnce = ROWS_AT_ONCE }: PagedList<Page>,
  ): { readonly page: Page; readonly end: number | undefined } {
    const max = this.#context.store.isInMemory ? undefined : end(r, range, atOnce);
    return { page: read(r, { ...range, max: max ?? range.max }), end: max };
  }
}
