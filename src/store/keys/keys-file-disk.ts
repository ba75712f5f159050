import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Rng } from '../../util/random.js';
import { WalletError } from '../../model/wallet-error.js';
import { FileDraft } from '../file/file-draft.js';
import { openRegularAsync, withFileErrors, withFileErrorsAsync } from '../file/file-errors.js';
import { readKeysFile, writeKeysFile, type KeysFile } from './keys-file.js';

/** Largest size of a keys file that is read [bytes]; usual files have some kilobytes. */
const MAX_BYTES = 16 << 20;

/**
 * Reads and decrypts a keys file.
 * @throws WalletError `wallet_missing`, `wallet_io`, `wallet_corrupt`, `wrong_password`
 */
export async function loadKeysFile(path: string, password: string, kdfRounds: number): Promise<KeysFile> {
  const name = basename(path, '.keys');
  const bytes = await readKeysBytes(path);
  // File errors are caught, because the key is computed on another thread, and starting a thread opens files, which may
  // fail.
  return withFileErrorsAsync(path, () => readKeysFile(bytes, password, kdfRounds, name));
}

/**
 * Reads the bytes of a keys file, which must be a regular file: reading a FIFO would wait for a writer forever.
 * @throws WalletError `wallet_missing`, `wallet_io`, `wallet_corrupt`
 */
export async function readKeysBytes(path: string): Promise<Uint8Array> {
  const name = basename(path, '.keys');
  return withFileErrorsAsync(path, async () => {
    const opened = await openRegularAsync(path);
    if (opened === undefined) throw new WalletError({ kind: 'wallet_missing', name });
    const { file, size } = opened;
    try {
      if (size > MAX_BYTES)
        throw new WalletError({ kind: 'wallet_corrupt', name, reason: 'its keys file is far too large' });
      return await file.readFile();
    } finally {
      await file.close();
    }
  });
}

/** Returns a text that changes whenever a keys file is replaced; empty if there is no file. @throws WalletError `wallet_io` */
export function keysFileVersion(path: string): string {
  const stat = withFileErrors(path, () => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return stat === undefined ? '' : [stat.ino, stat.size, stat.mtimeNs].join(':');
}

export const keysFileExists = (path: string): boolean => existsSync(path);

/** Writes a keys file as a draft. @throws WalletError `wallet_io` */
export async function draftKeysFile(
  path: string,
  file: KeysFile,
  password: string,
  kdfRounds: number,
  rng: Rng,
): Promise<FileDraft> {
  const bytes = await withFileErrorsAsync(path, () => writeKeysFile(file, password, kdfRounds, rng));
  return FileDraft.write(path, bytes);
}

/** Writes a keys file atomically. @throws WalletError `wallet_io`; then an existing file is unchanged. */
export async function saveKeysFile(
  path: string,
  file: KeysFile,
  password: string,
  kdfRounds: number,
  rng: Rng,
): Promise<void> {
  await (await draftKeysFile(path, file, password, kdfRounds, rng)).replace();
}
