import type { OutputRange } from '../../store/tables/outputs.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { PagedReader, type PagedReaderContext } from '../history/paged-reader.js';

/**
 * Reads outputs in the order of upstream's list, page by page from the state of the store at this call. A wallet with an
 * output that has the place of another one is read in one page.
 * @param read returns the items of a range, in the state of the store at this call.
 * @throws WalletError `no_wallet` if the wallet is closed meanwhile
 */
export function outputPages<T>(
  context: PagedReaderContext,
  range: OutputRange,
  read: (r: WalletReader, range: OutputRange) => readonly T[],
): AsyncGenerator<readonly T[], void, void> {
  const reader = new PagedReader(context);
  const pages = reader.pages(range, {
    divide: (r, whole: OutputRange, rows) => r.outputs.divide(whole, rows),
    read,
  });
  return untilReleased(pages, reader);
}

async function* untilReleased<T>(
  pages: AsyncIterable<T>,
  reader: PagedReader,
): AsyncGenerator<T, void, void> {
  try {
    yield* pages;
  } finally {
    reader.release();
  }
}
