import { constants, existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Rng } from '../../util/random.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import { FileDraft } from '../file/file-draft.js';
import { assertRegular, codeOf, withFileErrorsAsync } from '../file/file-errors.js';
import { readKeysFile, writeKeysFile, type KeysFile } from './keys-file.js';

/** Largest keys file; usual ones have some kilobytes. */
const MAX_BYTES = 16 << 20;

/** Reads a keys file, as `readKeysFile`. @throws WalletError `wallet_missing`, `wallet_io`, `wallet_corrupt`, `wrong_password` */
export async function loadKeysFile(path: string, password: string, kdfRounds: number): Promise<KeysFile> {
  const name = basename(path, '.keys');
  const bytes = await readBytes(path, name);
  // A thread computes the key, and starting one opens files.
  return withFileErrorsAsync(path, () => readKeysFile(bytes, password, kdfRounds, name));
}

/** Reads a regular file only: a FIFO would wait for a writer for ever. */
async function readBytes(path: string, name: string): Promise<Uint8Array> {
  return withFileErrorsAsync(path, async () => {
    let handle;
    try {
      handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch (cause) {
      if (codeOf(cause) !== 'ENOENT') throw cause;
      throw new WalletError({ kind: 'wallet_missing', name }, { cause });
    }
    try {
      const stat = await handle.stat();
      assertRegular(path, stat);
      if (stat.size > MAX_BYTES)
        throw new WalletError({ kind: 'wallet_corrupt', name, reason: 'its keys file is far too large' });
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  });
}

/** Returns a text that changes when a keys file is replaced; empty if there is none. */
export function keysFileVersion(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
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

/** Writes a keys file atomically. @throws WalletError `wallet_io`: an existing file is unchanged. */
export async function saveKeysFile(
  path: string,
  file: KeysFile,
  password: string,
  kdfRounds: number,
  rng: Rng,
): Promise<void> {
  await (await draftKeysFile(path, file, password, kdfRounds, rng)).replace();
}
