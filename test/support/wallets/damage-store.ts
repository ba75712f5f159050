import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { WalletCalls } from '../network/json-rpc.js';
import { openStoreBeside } from './open-store.js';

/** Overwrites a file from a byte on, as a failing disk or another program may. */
function overwrite(path: string, from: number): void {
  const { size } = statSync(path);
  if (size <= from) return;
  const file = openSync(path, 'r+');
  try {
    writeSync(file, Buffer.alloc(size - from, 0xa5), 0, size - from, from);
  } finally {
    closeSync(file);
  }
}

/** Size of a page of a store [bytes]. */
const PAGE = 4096;

/** Damages the store of an open wallet: a write of another connection makes the server read the pages again. */
export async function damageStore(
  walletDir: string,
  name: string,
  wallet: Pick<WalletCalls, 'rpc'>,
): Promise<void> {
  const db = await openStoreBeside(walletDir, name, wallet);
  db.exec("INSERT OR REPLACE INTO meta VALUES ('damaged', 'soon')");
  db.close();
  overwrite(join(walletDir, name), PAGE);
  overwrite(`${join(walletDir, name)}-wal`, 32);
}
