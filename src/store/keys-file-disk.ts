import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Rng } from '../util/random.js';
import { WalletError } from '../wallet/fault.js';
import { replaceFile } from './durable.js';
import { readKeysFile, writeKeysFile, type KeysFile } from './keys-file.js';

/** A keys file has some kilobytes; multisig ones some more. */
const MAX_BYTES = 16 << 20;

/** @throws WalletError */
export async function loadKeysFile(path: string, password: string, kdfRounds: number): Promise<KeysFile> {
  const name = basename(path, '.keys');
  if ((await stat(path)).size > MAX_BYTES)
    throw new WalletError({ kind: 'wallet_corrupt', name, reason: 'its keys file is far too large' });
  return readKeysFile(await readFile(path), password, kdfRounds, name);
}

export const isKeysFileThere = (path: string): boolean => existsSync(path);

/** Puts a keys file in place whole. */
export async function saveKeysFile(
  path: string,
  file: KeysFile,
  password: string,
  kdfRounds: number,
  rng: Rng,
): Promise<void> {
  const bytes = await writeKeysFile(file, password, kdfRounds, rng);
  await replaceFile(path, bytes);
}
