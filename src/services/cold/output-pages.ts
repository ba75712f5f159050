import type { OutputPart, OutputRange } from '../../store/tables/outputs.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { PagedReader, type PagedReaderContext } from '../context/paged-reader.js';

/** Number of outputs per page: less than 1 ms of work. Their rows are shorter than those of payments. */
const PAGE_OUTPUTS = 256;

/**
 * Reads outputs page by page in upstream's order, all from the state of the store at this call. If an output shares its
 * place with another one, reads all outputs in one page.
 * @param read returns the first outputs of a range, `most` at most, and the range after them.
 * @throws WalletError `no_wallet` if the wallet is closed meanwhile.
 */
export function outputPages<Facts>(
  context: PagedReaderContext,
  range: OutputRange,
  read: (r: WalletReader, range: OutputRange, most: number) => OutputPart<Facts>,
): AsyncGenerator<readonly Facts[], void, void> {
  const reader = new PagedReader(context);
  return untilReleased(reader.parts(range, read, PAGE_OUTPUTS), reader);
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
