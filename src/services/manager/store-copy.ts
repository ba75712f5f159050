import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyStore } from '../../store/backup/backup.js';
import { withFileErrors } from '../../store/file/file-errors.js';
import { cipherOf, storeKey } from '../../store/file/store-cipher.js';
import type { KeysFile } from '../../store/keys/keys-file.js';
import { WalletStore } from '../../store/wallet-store.js';
import type { WalletPaths } from '../context/wallet-directory.js';

/**
 * Runs a task with a copy of a wallet's store, which is encrypted too and removed afterwards. A server may have the
 * wallet open. @throws WalletError `wallet_corrupt`, `wallet_io`
 */
export async function withStoreCopy<T>(
  { store, name }: WalletPaths,
  { viewSecret, spendSecret }: Pick<KeysFile, 'viewSecret' | 'spendSecret'>,
  task: (store: WalletStore) => T | Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'wallet-copy-'));
  const path = join(directory, name);
  const key = storeKey(viewSecret, spendSecret);
  try {
    // A write-ahead log means that a server has the store open, or was killed. Opening a store without a log would
    // create files.
    if (existsSync(`${store}-wal`)) await copyStore(store, path, { key, cipher: cipherOf(store) });
    else withFileErrors(store, () => copyFileSync(store, path));
    const copy = WalletStore.open(path, key);
    try {
      return await task(copy);
    } finally {
      copy.close();
    }
  } finally {
    key.fill(0);
    rmSync(directory, { recursive: true, force: true });
  }
}
