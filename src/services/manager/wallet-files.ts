import { discardFile, draftOf } from '../../store/file/file-draft.js';
import type { KeysFile } from '../../store/keys/keys-file.js';
import { draftKeysFile } from '../../store/keys/keys-file-disk.js';
import { discardDatabase, commitDraftAsync } from '../../store/file/atomic-replace.js';
import { storeKey } from '../../store/file/store-key.js';
import { WalletStore } from '../../store/wallet-store.js';
import type { Rng } from '../../util/random.js';
import { fillNewStore, type NewStore } from './new-store.js';
import type { WalletPaths } from '../context/wallet-directory.js';

export interface NewWalletFiles {
  readonly paths: WalletPaths;
  readonly keysFile: KeysFile;
  readonly password: string;
  /** First height to scan; undefined if no daemon answered. */
  readonly restoreHeight: number | undefined;
  readonly arrivedAt?: NewStore['arrivedAt'];
  readonly kdfRounds: number;
  readonly rng: Rng;
}

/**
 * Writes drafts of the keys file and of the store, then renames the keys file, then the store. The wallet exists once
 * its keys file has its name; a crash leaves drafts only, or a wallet that opens. The caller holds the wallet's lock.
 * Waits for the disk without blocking this thread.
 * @throws WalletError `wallet_exists`, `wallet_io`: all files are removed then.
 */
export async function createWalletFiles(request: NewWalletFiles): Promise<void> {
  const { paths, keysFile, password, restoreHeight, arrivedAt, kdfRounds, rng } = request;
  const { viewSecret, spendSecret, creationTimestamp: createdAt, spendPublicKey } = keysFile;
  const keys = await draftKeysFile(paths.keys, keysFile, password, kdfRounds, rng);
  try {
    await WalletStore.draftAsync(paths.store, storeKey(viewSecret, spendSecret), (w) => {
      fillNewStore(w, { restoreHeight, createdAt, spendPublicKey, arrivedAt });
      // Nothing is to be reported: a transaction less when the store is opened.
      w.events.beginNext();
    });
  } catch (error) {
    keys.discard();
    throw error;
  }
  try {
    await keys.create();
  } catch (error) {
    discardDatabase(draftOf(paths.store));
    throw error;
  }
  try {
    await commitDraftAsync(paths.store);
  } catch (error) {
    discardDatabase(draftOf(paths.store));
    discardWalletFiles(paths);
    throw error;
  }
}

/** Removes the files of a wallet whose creation failed: no client has received its address. */
export function discardWalletFiles({ keys, store }: WalletPaths): void {
  // Keys file last: as long as it exists, the remaining files open as a wallet.
  discardDatabase(store);
  discardFile(keys);
}
