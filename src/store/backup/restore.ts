import { copyFile } from 'node:fs/promises';
import { chmodSync, existsSync } from 'node:fs';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import { WalletError } from '../../model/wallet-error.js';
import { commitDraftAsync, discardDatabase, removeDatabase } from '../file/atomic-replace.js';
import { addressRecordOf, createAddressRecord } from '../file/address-record.js';
import { regularAt, withFileErrorsAsync } from '../file/file-errors.js';
import { discardFile, draftOf, FileDraft, syncFileAsync } from '../file/file-draft.js';
import { cipherOf } from '../file/store-cipher.js';
import { storeKeyOf } from '../keys/keys-of-store.js';
import type { StoreKey } from '../file/database.js';
import { loadKeysFile, readKeysBytes } from '../keys/keys-file-disk.js';
import { filesOfBackup, type BackupSource, checkStore } from './backup.js';
import type { StoreFacts } from './store-copy-thread.js';

/** Wallet keys and store facts of a backup that has passed all checks. */
export interface VerifiedBackup extends StoreFacts {
  readonly name: string;
  readonly network: NetworkType;
  readonly viewOnly: boolean;
}

/** Password of a wallet's keys file, and the number of rounds by which the password is stretched. */
export interface KeysAccess {
  readonly password: string;
  readonly kdfRounds: number;
}

/**
 * Reads the keys of a wallet that is not open in this process.
 * @throws WalletError `wrong_password`, `wallet_corrupt`, `wallet_io`
 */
export async function openSource(
  { name, store, keys }: Omit<BackupSource, 'storeKey'>,
  { password, kdfRounds }: KeysAccess,
): Promise<{ readonly source: BackupSource; readonly network: NetworkType; readonly viewOnly: boolean }> {
  const file = await loadKeysFile(keys, password, kdfRounds);
  if (file.backgroundKey !== undefined)
    throw new WalletError({ kind: 'wallet_corrupt', name, reason: 'it is a background wallet' });
  const key: StoreKey = { key: storeKeyOf(file), cipher: cipherOf(store) };
  return { source: { name, store, keys, storeKey: key }, network: file.network, viewOnly: file.watchOnly };
}

/** Opens a backup and checks every page of its store. @throws WalletError as {@link openSource} */
export async function verifyBackup(directory: string, access: KeysAccess): Promise<VerifiedBackup> {
  const files = filesOfBackup(directory);
  regularAt(files.store);
  const { source, network, viewOnly } = await openSource(files, access);
  return { name: files.name, network, viewOnly, ...(await checkStore(source.store, source.storeKey)) };
}

/**
 * Copies the files of a verified backup to the paths of a wallet that does not exist yet. The caller holds the lock of
 * the wallet.
 * @throws WalletError `wallet_exists`, `wallet_io`. No file is left behind.
 */
export async function restoreBackup(
  directory: string,
  target: Pick<BackupSource, 'store' | 'keys' | 'name'>,
): Promise<void> {
  const files = filesOfBackup(directory);
  if (existsSync(target.store) || existsSync(target.keys))
    throw new WalletError({ kind: 'wallet_exists', name: target.name });
  const keys = await FileDraft.write(target.keys, await readKeysBytes(files.keys));
  try {
    await withFileErrorsAsync(target.store, async () => {
      const draft = draftOf(target.store);
      removeDatabase(draft);
      await copyFile(files.store, draft);
      chmodSync(draft, 0o600);
      await syncFileAsync(draft);
    });
    createAddressRecord(target.store, 'restored');
    // A wallet exists as soon as its keys file has its final name, so the keys file comes last.
    await commitDraftAsync(target.store);
    await keys.create();
  } catch (error) {
    keys.discard();
    discardDatabase(draftOf(target.store));
    discardDatabase(target.store);
    discardFile(addressRecordOf(target.store));
    throw error;
  }
}
