import { betweenWrites } from '../../store/between-writes.js';
import type { WalletContext } from '../context/wallet-context.js';

/** Rows of each table that are deleted at once: some 10 ms. */
const ROWS_AT_ONCE = 1000;

/**
 * Deletes every row derived from the chain, the highest first, as `WalletWriter.clearChain` does, a few at a time. After
 * a crash in between, the deleted ones are read from the chain again. To be called under the refresh lock.
 * @param onPart is called after each part. @throws WalletError `no_wallet` if the wallet is closed meanwhile.
 */
export async function clearInParts(
  { assertOpen, store }: Pick<WalletContext, 'assertOpen' | 'store'>,
  hard: boolean,
  onPart: () => void,
  rows = ROWS_AT_ONCE,
): Promise<void> {
  for (let isCleared = false; !isCleared;) {
    assertOpen();
    isCleared = store.writeRecoverable((w) => w.clearNext({ hard, rows }));
    onPart();
    if (!isCleared) await betweenWrites(store);
  }
  await store.flushToDisk();
}
