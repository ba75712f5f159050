import type { Division } from '../../store/tables/pages.js';
import type { Snapshot } from '../../store/snapshot.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import type { WalletContext } from './wallet-context.js';

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
export interface Part<Page, Range> {
  readonly page: Page;
  readonly rest: Range | undefined;
}

/** Reads the next page of a list. */
export type NextPart<Page, Range> = (r: WalletReader, range: Range, rows: number) => Part<Page, Range>;

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
  pages<Page, Range>(range: Range, { rows, divide, read }: PagedList<Page, Range>): AsyncIterable<Page> {
    return this.parts(
      range,
      (r, from, most) => {
        const whole = { page: from, rest: undefined };
        const { page, rest } = (most === Infinity ? undefined : divide(r, from, most)) ?? whole;
        return { page: read(r, page), rest };
      },
      rows,
    );
  }

  /**
   * Reads a list in pages, as {@link pages}.
   * @param next reads the next page of about `rows` rows, or of all if that is infinite; the page may be empty.
   */
  parts<Page, Range>(range: Range, next: NextPart<Page, Range>, rows = PAGE_ROWS): AsyncIterable<Page> {
    const { store } = this.#context;
    const most = store.isInMemory ? Infinity : rows;
    const first = store.read((r) => next(r, range, most));
    if (first.rest !== undefined) this.#snapshot ??= store.snapshot();
    return this.#from(first, (r, rest: Range) => next(r, rest, most));
  }

  /** Reads what belongs to the pages, from the state of the store that they show. @throws WalletError `no_wallet` */
  read<T>(task: (r: WalletReader) => T): T {
    this.#context.assertOpen();
    return (this.#snapshot ?? this.#context.store).read(task);
  }

  /** Frees the snapshot; no page can be read afterwards. */
  release(): void {
    this.#snapshot?.release();
    this.#snapshot = undefined;
  }

  async *#from<Page, Range>(
    first: Part<Page, Range>,
    next: (r: WalletReader, range: Range) => Part<Page, Range>,
  ): AsyncGenerator<Page> {
    let { rest } = first;
    yield first.page;
    while (rest !== undefined) {
      await yieldToEventLoop();
      this.#context.assertOpen();
      if (this.#snapshot === undefined) throw new Error('read after the release');
      const range: Range = rest;
      const part = this.#snapshot.read((r) => next(r, range));
      rest = part.rest;
      yield part.page;
    }
  }
}
