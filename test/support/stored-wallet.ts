import { join } from 'node:path';
import { loadKeysFile } from '../../src/store/keys-file-disk.js';
import { storeKey } from '../../src/store/store-key.js';
import { WalletFile } from '../../src/store/wallet-file.js';

/** Opens the store of a wallet that no server holds. */
export async function openStored(
  directory: string,
  name: string,
  password: string,
  kdfRounds = 1,
): Promise<WalletFile> {
  const { viewSecret, spendSecret } = await loadKeysFile(
    join(directory, `${name}.keys`),
    password,
    kdfRounds,
  );
  return WalletFile.open(join(directory, name), storeKey(viewSecret, spendSecret));
}
