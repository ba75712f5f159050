import { discardFile, draftOf } from '../../store/file/file-draft.js';
import type { KeysFile } from '../../store/keys/keys-file.js';
import { draftKeysFile } from '../../store/keys/keys-file-disk.js';
import { discardDatabase, commitDraft } from '../../store/file/atomic-replace.js';
import { storeKey } from '../../store/file/store-key.js';
import { WalletStore } from '../../store/wallet-store.js';
import type { Rng } from '../../util/random.js';
import { fillNewStore } from './new-store.js';
import type { WalletPaths } from '../context/wallet-directory.js';

export interface NewWalletFiles {
  readonly paths: WalletPaths;
  readonly keysFile: KeysFile;
  readonly password: string;
  /** First height to scan; undefined where no daemon could be asked. */
  readonly restoreHeight: number | undefined;
  readonly kdfRounds: number;
  readonly rng: Rng;
}

/**
 * Writes keys file and store beside their places; then the keys file takes its place, which makes the wallet, and
 * the store after it. A crash leaves drafts only, or a wallet that opens. For the holder of the wallet's lock.
 * @throws WalletError `wallet_exists`, `wallet_io`: no file stays.
 */
export async function makeWalletFiles(wanted: NewWalletFiles): Promise<void> {
  const { paths, keysFile, password, restoreHeight, kdfRounds, rng } = wanted;
  const { viewSecret, spendSecret, creationTimestamp: createdAt, spendPublicKey } = keysFile;
  const keys = await draftKeysFile(paths.keys, keysFile, password, kdfRounds, rng);
  try {
    WalletStore.draft(paths.store, storeKey(viewSecret, spendSecret), (w) =>
      fillNewStore(w, { restoreHeight, createdAt, spendPublicKey }),
    );
  } catch (error) {
    keys.discard();
    throw error;
  }
  try {
    keys.create();
  } catch (error) {
    discardDatabase(draftOf(paths.store));
    throw error;
  }
  try {
    commitDraft(paths.store);
  } catch (error) {
    discardDatabase(draftOf(paths.store));
    discardWalletFiles(paths);
    throw error;
  }
}

/** Removes the files of a wallet whose creation failed: no client has been given its address. */
export function discardWalletFiles({ keys, store }: WalletPaths): void {
  // The keys file goes last: with it, what is left opens.
  discardDatabase(store);
  discardFile(keys);
}
