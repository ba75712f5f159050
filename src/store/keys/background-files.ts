import { existsSync, statSync, rmSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { chacha20 } from '../../monero/crypto/chacha.js';
import { backgroundCacheKey } from '../../monero/crypto/kdf.js';
import { concatBytes, equalBytes, utf8 } from '../../util/bytes.js';
import { encode } from '../../util/codec.js';
import type { Rng } from '../../util/random.js';
import { WalletError } from '../../model/wallet-error.js';
import { sealedFile } from '../../monero/wallet/exchange/sealed-file.js';
import { syncDirectory, draftOf, replaceFile } from '../file/file-draft.js';
import { withFileErrorsAsync, withFileErrors } from '../file/file-errors.js';
import { sealKeysFile, type KeysFile } from './keys-file.js';
import { databaseFilesOf } from '../file/atomic-replace.js';

/**
 * Text at the start of the decrypted file. It distinguishes the file from a cache of the reference, and a right key
 * from a wrong key.
 */
const MAGIC = utf8('wallet-rpc background 1\n');
const KEY_BYTES = 32;
const IV_BYTES = 8;

/** Size of the sealed file [bytes]: an IV, a length of one byte, the magic text, and the key. */
const SEAL_BYTES = IV_BYTES + 1 + MAGIC.length + KEY_BYTES;

/**
 * Returns the paths of the files for background sync, which works without the spend key: the sealed store key, its keys
 * file, and an address file.
 */
const backgroundPathsOf = (store: string) => ({
  seal: `${store}.background`,
  keys: `${store}.background.keys`,
  /** File that the reference writes, except on mainnet. */
  address: `${store}.background.address.txt`,
});

/** Contents of the files for background sync. */
export interface BackgroundFilesContent {
  /** Contents of the background keys file: the contents of the wallet's keys file without the spend key. */
  readonly keysFile: KeysFile;
  /** Key derived from the background password. */
  readonly backgroundKey: Uint8Array;
  /** Key of the wallet's store, which is also used during background sync. */
  readonly storeKey: Uint8Array;
}

/**
 * Writes the background files: a keys file in the reference's format, and a sealed file that contains the key of the
 * store.
 */
export async function writeBackgroundFiles(
  store: string,
  { keysFile, backgroundKey, storeKey }: BackgroundFilesContent,
  rng: Rng,
): Promise<void> {
  const paths = backgroundPathsOf(store);
  const iv = rng(IV_BYTES);
  const ciphertext = chacha20(backgroundCacheKey(backgroundKey), iv, concatBytes(MAGIC, storeKey));
  await replaceFile(paths.seal, encode(sealedFile, { iv, ciphertext }));
  await replaceFile(paths.keys, await sealKeysFile(keysFile, backgroundKey, rng));
}

/** Returns true if the background files exist, were written by this program, and can be opened with this key. */
export async function backgroundFilesExist(store: string, backgroundKey: Uint8Array): Promise<boolean> {
  const { seal, keys } = backgroundPathsOf(store);
  return existsSync(keys) && existsSync(seal) && (await unseal(seal, backgroundKey)) !== undefined;
}

/**
 * Checks that the background files can be written: only background files that this program wrote before may be
 * replaced.
 * @throws WalletError `wallet_exists` if a wallet with the name of these files exists.
 */
export function assertFreeForBackground(store: string): void {
  const { seal, keys } = backgroundPathsOf(store);
  const isFree = existsSync(seal) ? statSync(seal).size === SEAL_BYTES : !existsSync(keys);
  if (!isFree) throw new WalletError({ kind: 'wallet_exists', name: basename(seal) });
}

/** Removes the background files. @throws WalletError `wallet_io` */
export async function removeBackgroundFiles(store: string): Promise<void> {
  const { seal, keys, address } = backgroundPathsOf(store);
  await withFileErrorsAsync(store, async () => {
    for (const path of [keys, address, seal]) await rm(path, { force: true });
    syncDirectory(dirname(store));
  });
}

/** Returns the paths of drafts of the background files. */
const backgroundDraftsOf = (store: string): string[] => {
  const { seal, keys } = backgroundPathsOf(store);
  return [draftOf(seal), draftOf(keys)];
};

/** Reads the key of the wallet's store from the sealed file. @throws WalletError `wallet_corrupt` */
export async function readStoreKey(store: string, backgroundKey: Uint8Array): Promise<Uint8Array> {
  const { seal } = backgroundPathsOf(store);
  const key = existsSync(seal) ? await unseal(seal, backgroundKey) : undefined;
  if (key !== undefined) return key;
  const reason = 'it does not open the store of its wallet: open the wallet itself once';
  throw new WalletError({ kind: 'wallet_corrupt', name: basename(seal), reason });
}

/** Decrypts the sealed file. @returns the store key; undefined for a wrong key, and for a file of the reference. */
async function unseal(path: string, backgroundKey: Uint8Array): Promise<Uint8Array | undefined> {
  if (statSync(path).size !== SEAL_BYTES) return undefined;
  const bytes = await withFileErrorsAsync(path, () => readFile(path));
  const iv = bytes.subarray(0, IV_BYTES);
  const plain = chacha20(backgroundCacheKey(backgroundKey), iv, bytes.subarray(IV_BYTES + 1));
  return equalBytes(plain.subarray(0, MAGIC.length), MAGIC) ? plain.slice(MAGIC.length) : undefined;
}

/**
 * Removes drafts that an interrupted process left beside a wallet. The caller must hold the lock of the wallet, because
 * a draft of another process may be in use.
 * @returns the names of the removed files.
 * @throws WalletError `wallet_io`
 */
export function removeLeftoverDrafts({
  store,
  keys,
}: {
  readonly store: string;
  readonly keys: string;
}): readonly string[] {
  return withFileErrors(store, () => {
    const leftovers = [
      draftOf(keys),
      ...backgroundDraftsOf(store),
      ...databaseFilesOf(draftOf(store)),
    ].filter((path) => existsSync(path));
    // An empty keys file only reserves the path of an interrupted creation.
    if (leftovers.includes(draftOf(keys)) && statSync(keys, { throwIfNoEntry: false })?.size === 0)
      leftovers.unshift(keys);
    for (const path of leftovers) rmSync(path, { force: true });
    return leftovers.map((path) => basename(path));
  });
}
