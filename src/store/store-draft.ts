import { DeferredBlocks, StoreTransactions } from './store-transactions.js';
import { removeDatabase } from './file/atomic-replace.js';
import { openDatabase, type StoreDatabase } from './file/database.js';
import { draftOf, syncFile, syncFileAsync } from './file/file-draft.js';
import { withFileErrors, withFileErrorsAsync } from './file/file-errors.js';
import { NEW_CIPHER } from './file/store-cipher.js';
import { StoreFile } from './file/store-file.js';
import { Snapshots } from './snapshot.js';
import { ownEvents, type WalletWriter } from './wallet-writer.js';

/** Writes the initial contents of a new store. */
export type Fill = (w: WalletWriter) => void;

/**
 * Writes a complete store as a draft beside its final path and flushes it to disk.
 * @param key encryption key of 32 bytes.
 * @throws WalletError `wallet_io`, and errors of `fill`; then no draft is left behind.
 */
export function writeStoreDraft(path: string, key: Uint8Array, fill: Fill): void {
  const draft = draftOf(path);
  withFileErrors(draft, () => {
    writeUnflushed(draft, key, fill);
    try {
      syncFile(draft);
    } catch (error) {
      removeDatabase(draft);
      throw error;
    }
  });
}

/** Writes a draft as {@link writeStoreDraft}, without blocking this thread while the draft is flushed to disk. */
export async function writeStoreDraftAsync(path: string, key: Uint8Array, fill: Fill): Promise<void> {
  const draft = draftOf(path);
  await withFileErrorsAsync(draft, async () => {
    writeUnflushed(draft, key, fill);
    try {
      await syncFileAsync(draft);
    } catch (error) {
      removeDatabase(draft);
      throw error;
    }
  });
}

/**
 * Writes a draft that is not flushed to disk.
 * @throws errors of files and of `fill`; then no draft is left behind.
 */
function writeUnflushed(draft: string, key: Uint8Array, fill: Fill): void {
  removeDatabase(draft);
  let db: StoreDatabase | undefined;
  try {
    db = openDatabase(draft, { key, cipher: NEW_CIPHER }, { isDraft: true });
    const file = new StoreFile(db);
    const transactions = new StoreTransactions({
      ...{ file, events: ownEvents(), deferred: new DeferredBlocks(), snapshots: new Snapshots() },
    });
    transactions.write(fill);
    // The log must be empty, because only the main file is renamed to the final path.
    db.pragma('wal_checkpoint(TRUNCATE)');
    file.close();
  } catch (error) {
    db?.close();
    removeDatabase(draft);
    throw error;
  }
}
