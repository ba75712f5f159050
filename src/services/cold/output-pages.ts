import type { OutputRange } from '../../store/tables/outputs.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { PagedReader, type PagedReaderContext } from '../history/paged-reader.js';

/**
 * Reads outputs page by page in upstream's order, all from the state of the store at this call. If an output shares its
 * place with another one, reads all outputs in one page.
 * @param read returns the items of a range.
 * @throws WalletError `no_wallet` if the wallet is closed meanwhile.
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
