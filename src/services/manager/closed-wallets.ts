import { copyStore } from '../../store/backup/backup.js';
import { WalletError } from '../../model/wallet-error.js';
import type { KeysAccess } from '../../store/backup/restore.js';
import { loadKeysFile } from '../../store/keys/keys-file-disk.js';
import { systemClock } from '../../util/clock.js';
import type { Paged } from '../../util/paged.js';
import { AddressCache } from '../context/address-cache.js';
import { keysOfFile } from '../context/keys-of-file.js';
import { wipeKeys } from '../../monero/wallet/keys.js';
import { assertNoCopy } from '../cluster/local-copy.js';
import { backgroundPaths, type WalletPaths } from '../context/wallet-directory.js';
import { PaymentExport, type ExportedPayment, type ExportFilter } from '../history/payment-export.js';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { regularAt, withFileErrors } from '../../store/file/file-errors.js';
import { cipherOf } from '../../store/file/store-cipher.js';
import { storeKeyOf, type StoreSecrets } from '../../store/keys/keys-of-store.js';
import { WalletStore } from '../../store/wallet-store.js';

/** Stands for a daemon: nothing is verified while a closed wallet is read. */
const UNCHECKED = { checkedChain: undefined };

/**
 * Exports payments of a wallet that is not open in this process, from a copy of its store.
 * @param write reads the payments. @returns the number of blocks that the wallet knows.
 * @throws WalletError `wrong_password`, `wallet_corrupt`, `wallet_io`, `account_out_of_range`, `bad_cluster_request`
 * for the copy of a wallet in a cluster
 */
export async function exportClosedWallet(
  paths: WalletPaths,
  { password, kdfRounds }: KeysAccess,
  filter: ExportFilter,
  write: (payments: Paged<readonly ExportedPayment[]>) => Promise<void>,
): Promise<number> {
  assertNoCopy(backgroundPaths(paths));
  const keysFile = await loadKeysFile(paths.keys, password, kdfRounds);
  // The labels and references of a background wallet belong to the holder of the main password.
  if (keysFile.backgroundKey !== undefined)
    throw new WalletError({ kind: 'wallet_corrupt', name: paths.name, reason: 'it is a background wallet' });
  const keys = keysOfFile(keysFile);
  try {
    return await withStoreCopy(paths, keysFile, async (store) => {
      const { account } = filter;
      const count = store.read((r) => r.accounts.count());
      if (account !== undefined && account >= count)
        throw new WalletError({ kind: 'account_out_of_range', account, count });
      await write(
        PaymentExport.read(
          {
            ...{
              store,
              clock: systemClock,
              keystore: { hidesNotes: false },
              daemon: UNCHECKED,
              assertOpen: () => undefined,
            },
            addresses: new AddressCache(() => keys),
          },
          filter,
        ),
      );
      return store.height();
    });
  } finally {
    wipeKeys(keys);
  }
}

/**
 * Runs a task with a copy of a wallet's store, which is encrypted too and removed afterwards. A server may have the
 * wallet open. @throws WalletError `wallet_corrupt`, `wallet_io`
 */
export async function withStoreCopy<T>(
  { store, name }: WalletPaths,
  secrets: StoreSecrets,
  task: (store: WalletStore) => T | Promise<T>,
): Promise<T> {
  regularAt(store);
  const directory = mkdtempSync(join(tmpdir(), 'wallet-copy-'));
  const path = join(directory, name);
  const key = storeKeyOf(secrets);
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
