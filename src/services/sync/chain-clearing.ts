import { betweenWrites } from '../../store/between-writes.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import type { WalletContext } from '../context/wallet-context.js';

/** Which rows are deleted: see `WalletWriter.clearNext`. */
export type Clearing = Omit<Parameters<WalletWriter['clearNext']>[0], 'rows'>;

/** Number of rows of each table that are deleted in one transaction: some 10 ms. */
const ROWS_AT_ONCE = 1000;

/**
 * Deletes rows derived from the chain, from the top down, some in each transaction. After a crash in between, the
 * deleted rows are scanned from the chain again. To be called under the refresh lock.
 * @param onPart called after each transaction. @throws WalletError `no_wallet` if the wallet is closed meanwhile.
 */
export async function clearInParts(
  { assertOpen, store }: Pick<WalletContext, 'assertOpen' | 'store'>,
  clearing: Clearing,
  onPart: () => void,
  rows = ROWS_AT_ONCE,
): Promise<void> {
  for (let isCleared = false; !isCleared;) {
    assertOpen();
    isCleared = store.writeRecoverable((w) => w.clearNext({ ...clearing, rows }));
    onPart();
    if (!isCleared) await betweenWrites(store);
  }
  await store.flushToDisk();
}
