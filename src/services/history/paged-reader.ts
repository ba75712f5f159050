import type { Division } from '../../store/sql/height-pages.js';
import type { Snapshot } from '../../store/snapshot.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import type { WalletContext } from '../context/wallet-context.js';

export type PagedReaderContext = Pick<WalletContext, 'store' | 'assertOpen'>;

/**
 * Number of rows per page: less than 1 ms of work. Objects of larger pages survive the collections of V8's young
 * generation and fill the heap.
 */
const PAGE_ROWS = 64;

/** Queries that read a list page by page. */
export interface PagedList<Page, Range> {
  /** Approximate number of rows per page. */
  readonly rows?: number;
  /** Splits a range after about `rows` rows; undefined if it has fewer. */
  readonly divide: (r: WalletReader, range: Range, rows: number) => Division<Range> | undefined;
  readonly read: (r: WalletReader, range: Range) => Page;
}

/** A page of rows, and the range that follows it; undefined at the end. */
interface Part<Page, Range> {
  readonly page: Page;
  readonly rest: Range | undefined;
}

/**
 * Reads long lists in pages from one snapshot of the store, and yields to the event loop between pages. All lists must
 * be requested in one turn of the event loop, without an `await` in between. A store in memory is read in one page.
 */
export class PagedReader {
  readonly #context: PagedReaderContext;
  #snapshot: Snapshot | undefined;

  constructor(context: PagedReaderContext) {
    this.#context = context;
  }

  /** Reads a range in pages. @throws WalletError `no_wallet` if the wallet is closed meanwhile. */
  pages<Page, Range>(range: Range, list: PagedList<Page, Range>): AsyncIterable<Page> {
    const { store } = this.#context;
    const first = store.read((r) => this.#part(r, range, list));
    if (first.rest !== undefined) this.#snapshot ??= store.snapshot();
    return this.#from(first, list);
  }

  /** Frees the snapshot; no page can be read afterwards. */
  release(): void {
    this.#snapshot?.release();
    this.#snapshot = undefined;
  }

  async *#from<Page, Range>(first: Part<Page, Range>, list: PagedList<Page, Range>): AsyncGenerator<Page> {
    let { rest } = first;
    yield first.page;
    while (rest !== undefined) {
      await yieldToEventLoop();
      this.#context.assertOpen();
      if (this.#snapshot === undefined) throw new Error('read after the release');
      const range: Range = rest;
      const next = this.#snapshot.read((r) => this.#part(r, range, list));
      rest = next.rest;
      yield next.page;
    }
  }

  #part<Page, Range>(
    r: WalletReader,
    range: Range,
    { divide, read, rows = PAGE_ROWS }: PagedList<Page, Range>,
  ): Part<Page, Range> {
    const { page, rest } = (this.#context.store.isInMemory ? undefined : divide(r, range, rows)) ?? {
      page: range,
      rest: undefined,
    };
    return { page: read(r, page), rest };
  }
}
