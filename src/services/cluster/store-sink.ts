import type { Lease } from '../../cluster/lease.js';
import { Fenced } from '../../cluster/errors.js';
import type { PageLogs } from '../../cluster/cluster.js';
import { SinkEndedError, type PageSink } from '../../store/replication/page-sink.js';

/** Runs a call of the cluster's database. @throws SinkEndedError in place of the error of a lost lease. */
async function ending<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Fenced) throw new SinkEndedError(error.message, { cause: error });
    throw error;
  }
}

/**
 * Returns the receiver of the pages of a wallet's store that writes them to the database of the cluster.
 * @param withKeys stores a base by the given function, with the keys file that is to replace the stored one together
 * with the base, if there is one.
 */
export const storeSink = (
  logs: Pick<PageLogs, 'append' | 'putBase'>,
  lease: Lease,
  withKeys: (put: (keysFile?: Uint8Array) => Promise<void>) => Promise<void>,
): PageSink => ({
  append: (sequence, frame) => ending(() => logs.append(lease, sequence, frame)),
  putBase: (sequence, parts) =>
    ending(() => withKeys((keysFile) => logs.putBase(lease, sequence, parts, keysFile))),
});
