import { join } from 'node:path';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import { unlockDatabase } from '../../../src/store/file/database.js';
import type { SqlDatabase } from '../../../src/util/sql-database.js';
import { cipherOf, storeKey } from '../../../src/store/file/store-cipher.js';
import { fromHex } from '../../../src/util/bytes.js';
import type { WalletCalls } from '../network/json-rpc.js';

/** Opens another connection to the store of a wallet that a server has open. To be closed by the caller. */
export async function openStoreBeside(
  walletDir: string,
  name: string,
  { rpc }: Pick<WalletCalls, 'rpc'>,
): Promise<SqlDatabase> {
  const secret = async (key_type: string): Promise<SecretKey> =>
    fromHex((await rpc('query_key', { key_type })).key as string) as SecretKey;
  const key = storeKey(await secret('view_key'), await secret('spend_key'));
  const path = join(walletDir, name);
  return unlockDatabase(path, { key, cipher: cipherOf(path) }, { fileMustExist: true });
}
