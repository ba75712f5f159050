import { discardFile, draftOf } from '../../store/file/file-draft.js';
import type { KeysFile } from '../../store/keys/keys-file.js';
import { draftKeysFile } from '../../store/keys/keys-file-disk.js';
import { discardDatabase, commitDraftAsync } from '../../store/file/atomic-replace.js';
import { addressRecordOf, createAddressRecord } from '../../store/file/address-record.js';
import { storeKeyOf } from '../../store/keys/keys-of-store.js';
import { writeStoreDraftAsync } from '../../store/store-draft.js';
import type { Rng } from '../../util/random.js';
import type { WalletPaths } from '../context/wallet-directory.js';
import type { PublicKey } from '../../monero/crypto/types.js';
import type { WalletWriter } from '../../store/wallet-writer.js';

/** Content of the files of a new wallet. */
export interface NewWalletFiles {
  readonly paths: WalletPaths;
  readonly keysFile: KeysFile;
  readonly password: string;
  /** Height from which the wallet is scanned; undefined if no daemon answered. */
  readonly restoreHeight: number | undefined;
  readonly arrivedAt?: NewStore['arrivedAt'];
  readonly kdfRounds: number;
  readonly rng: Rng;
}

/**
 * Creates the files of a wallet: writes drafts of the keys file and of the store, then renames the keys file, then the
 * store. The wallet exists once its keys file has its name; a crash leaves either drafts only, or a wallet that can be
 * opened. The caller must hold the wallet's lock. Does not block this thread while it waits for the disk.
 * @throws WalletError `wallet_exists`, `wallet_io`, after which all files are removed.
 */
export async function createWalletFiles(request: NewWalletFiles): Promise<void> {
  const { paths, keysFile, password, restoreHeight, arrivedAt, kdfRounds, rng } = request;
  const { creationTimestamp: createdAt, spendPublicKey } = keysFile;
  const keys = await draftKeysFile(paths.keys, keysFile, password, kdfRounds, rng);
  try {
    // The record replaces the record of a deleted wallet of the same name.
    const addressRecord = createAddressRecord(paths.store, 1);
    await writeStoreDraftAsync(paths.store, storeKeyOf(keysFile), (w) => {
      fillNewStore(w, { restoreHeight, createdAt, spendPublicKey, arrivedAt });
      w.meta.set('address_record', addressRecord);
      // A new store has no events to report: marking this here saves a transaction when the store is opened.
      w.events.beginNext();
    });
  } catch (error) {
    keys.discard();
    discardFile(addressRecordOf(paths.store));
    throw error;
  }
  try {
    await keys.create();
  } catch (error) {
    discardFile(addressRecordOf(paths.store));
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

/** Removes the files of a wallet whose creation failed; no client has received its address. */
export function discardWalletFiles({ keys, store }: WalletPaths): void {
  // The keys file is removed last: while it exists, the remaining files can be opened as a wallet.
  discardDatabase(store);
  discardFile(addressRecordOf(store));
  discardFile(keys);
}

/** Values that every store is created with. */
export interface NewStore {
  /** Height from which the wallet is scanned; undefined if no daemon answered. */
  readonly restoreHeight: number | undefined;
  /** Creation time of the wallet [Unix s]. */
  readonly createdAt: number;
  readonly spendPublicKey: PublicKey;
  /** Time at which a wallet that may have a history came to this server [Unix s]; absent for a wallet of new keys. */
  readonly arrivedAt?: number | undefined;
}

/** Writes the initial rows of a new store. */
export function fillNewStore(
  w: WalletWriter,
  { restoreHeight, createdAt, spendPublicKey, arrivedAt }: NewStore,
): void {
  if (restoreHeight !== undefined) w.meta.set('restore_height', String(restoreHeight));
  w.meta.set('created_at', String(createdAt));
  if (arrivedAt !== undefined) {
    w.meta.set('arrived_at', String(arrivedAt));
    w.lostAddresses.mark('restored');
  }
  w.subaddresses.add([{ index: { major: 0, minor: 0 }, spendPublicKey }]);
}
