import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { Lease } from '../../cluster/lease.js';
import { WalletError } from '../../model/wallet-error.js';
import type { PageLogs } from '../../cluster/cluster.js';
import { logOf, isEmptyLog, writeKeptLog } from '../../store/file/atomic-replace.js';
import { withFileErrors, withFileErrorsAsync } from '../../store/file/file-errors.js';
import { readBase } from '../../store/replication/base-parts.js';
import type { WalletPaths } from '../context/wallet-directory.js';

/** Number of the base of a store that comes back: its log begins with it. */
const FIRST = 1;

/** Checks that the main file of a store contains all its commits. @throws WalletError `bad_cluster_request`, `wallet_io` */
export function assertClosedStore({ name, store }: WalletPaths): void {
  withFileErrors(store, () => statSync(store));
  if (isEmptyLog(store)) return;
  throw new WalletError({
    kind: 'bad_cluster_request',
    reason: `the process that had '${name}' open has not closed it: open the wallet once without --cluster, and close it`,
  });
}

/**
 * Stores the file of a closed wallet in the database, as the whole content of a log that is empty. Its lock must be held, or
 * its mark must keep all processes from opening it.
 * @throws errors of the cluster; WalletError `wallet_io`
 */
export async function uploadClosedStore(
  { store }: WalletPaths,
  lease: Lease,
  logs: Pick<PageLogs, 'putBase'>,
): Promise<void> {
  await withFileErrorsAsync(store, async () => {
    const file = openSync(store, 'r');
    try {
      const { parts, close } = await readBase({
        log: logOf(store),
        readMain: (bytes, offset) => readSync(file, bytes, 0, bytes.length, offset),
        mainBytes: fstatSync(file).size,
        at: { salts: undefined, frames: 0 },
        sequence: FIRST,
      });
      try {
        await logs.putBase(lease, FIRST, parts);
      } finally {
        close();
      }
    } finally {
      closeSync(file);
    }
    writeKeptLog(store);
  });
}
