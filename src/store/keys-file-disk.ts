import { constants } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Rng } from '../util/random.js';
import { WalletError } from '../wallet/fault.js';
import { syncDirectory } from './durable.js';
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

/** Puts a keys file in place whole: written beside it, synced, renamed. Readable for its owner alone. */
export async function saveKeysFile(
  path: string,
  file: KeysFile,
  password: string,
  kdfRounds: number,
  rng: Rng,
): Promise<void> {
  const bytes = await writeKeysFile(file, password, kdfRounds, rng);
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  const handle = await open(draft, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, path);
  syncDirectory(dirname(path));
}
