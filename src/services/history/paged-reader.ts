import type { HeightRange } from '../../store/sql/height-pages.js';
import type { Snapshot } from '../../store/snapshot.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { yieldToEventLoop } from '../../util/yield-to-event-loop.js';
import type { WalletContext } from '../context/wallet-context.js';

export type PagedReaderContext = Pick<WalletContext, 'store' | 'assertOpen'>;

/**
 * Rows per page: 1 to 2 ms of work. Objects made from larger pages survive the collections of V8's young generation and
 * fill the heap.
 */
export const PAGE_ROWS = 256;

/** Queries that read a list in pages. */
export interface PagedList<Page> {
  /** Approximate number of rows per page. */
  readonly rows?: number;
  /** Height up to which a range has about `rows` rows, in whole blocks; undefined if it has fewer. */
  readonly end: (r: WalletReader, range: HeightRange, rows: number) => number | undefined;
  readonly read: (r: WalletReader, range: HeightRange) => Page;
}

/**
 * Reads long lists in pages from one snapshot of the store, and yields to the event loop between pages. All lists
 * must be requested without an `await` in between. A store in memory is read in one page.
 */
export class PagedReader {
  readonly #context: PagedReaderContext;
  #snapshot: Snapshot | undefined;

  constructor(context: PagedReaderContext) {
    this.#context = context;
  }

  /** @throws WalletError `no_wallet` if the wallet is closed meanwhile */
  pages<Page>(range: HeightRange, list: PagedList<Page>): AsyncIterable<Page> {
    const { store } = this.#context;
    const first = store.read((r) => this.#page(r, range, list));
    if (first.end !== undefined) this.#snapshot ??= store.snapshot();
    return this.#from(first, range, list);
  }

  /** Frees the snapshot; no page can be read afterwards. */
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
    { end, read, rows = PAGE_ROWS }: PagedList<Page>,
  ): { readonly page: Page; readonly end: number | undefined } {
    const max = this.#context.store.isInMemory ? undefined : end(r, range, rows);
    return { page: read(r, { ...range, max: max ?? range.max }), end: max };
  }
}
