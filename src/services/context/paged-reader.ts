import type { OutputRange } from '../../store/tables/outputs.js';
import type { Division, Part } from '../../store/tables/pages.js';
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

/** Reads the next page of a list, of about `rows` rows, or of all if that is infinite; the page may be empty. */
export type NextPart<Page, Range> = (r: WalletReader, range: Range, rows: number) => Part<Page, Range>;

/**
 * Reads the pages of a list whose ranges are divided before their rows are read.
 * @param divide splits a range after about `rows` rows; undefined if it has fewer.
 */
export const divided =
  <Page, Range>(
    divide: (r: WalletReader, range: Range, rows: number) => Division<Range> | undefined,
    read: (r: WalletReader, range: Range) => Page,
  ): NextPart<Page, Range> =>
  (r, range, rows) => {
    const division = rows === Infinity ? undefined : divide(r, range, rows);
    return { page: read(r, division?.page ?? range), rest: division?.rest };
  };

/**
 * Reads long lists in pages from one snapshot of the store, and yields to the event loop between pages. All lists must
 * be requested in one turn of the event loop, without an `await` in between. A store in memory has no snapshots: it is
 * read in one page, and a list that is divided all the same shows later writes.
 */
export class PagedReader {
  readonly #context: PagedReaderContext;
  #snapshot: Snapshot | undefined;
  #isReleased = false;

  constructor(context: PagedReaderContext) {
    this.#context = context;
  }

  /** Reads a range in pages. @throws WalletError `no_wallet` if the wallet is closed meanwhile. */
  pages<Page, Range>(range: Range, next: NextPart<Page, Range>, rows = PAGE_ROWS): AsyncIterable<Page> {
    const { store } = this.#context;
    const most = store.isInMemory ? Infinity : rows;
    const first = store.read((r) => next(r, range, most));
    if (first.rest !== undefined && !store.isInMemory) this.#snapshot ??= store.snapshot();
    return this.#from(first, (r, rest: Range) => next(r, rest, most));
  }

  /**
   * Reads data that belongs to the pages, from the state of the store that the pages show.
   * @throws WalletError `no_wallet`
   */
  read<T>(task: (r: WalletReader) => T): T {
    this.#context.assertOpen();
    return (this.#snapshot ?? this.#context.store).read(task);
  }

  /** Frees the snapshot, after which no page can be read. */
  release(): void {
    this.#isReleased = true;
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
      if (this.#isReleased) throw new Error('read after the release');
      const range: Range = rest;
      const part = this.read((r) => next(r, range));
      rest = part.rest;
      yield part.page;
    }
  }
}

/** Number of outputs per page: less than 1 ms of work. Rows of outputs are shorter than rows of payments. */
const PAGE_OUTPUTS = 256;

/**
 * Reads outputs page by page in the reference's order, all from the state of the store at this call, and frees the
 * snapshot at the end. If two outputs share a place, reads all outputs in one page.
 * @throws WalletError `no_wallet` if the wallet is closed meanwhile.
 */
export function outputPages<Facts>(
  context: PagedReaderContext,
  range: OutputRange,
  next: NextPart<readonly Facts[], OutputRange>,
): AsyncGenerator<readonly Facts[], void, void> {
  const reader = new PagedReader(context);
  const pages = reader.pages(range, next, PAGE_OUTPUTS);
  const untilEnd = async function* (): AsyncGenerator<readonly Facts[], void, void> {
    try {
      yield* pages;
    } finally {
      reader.release();
    }
  };
  return untilEnd();
}
