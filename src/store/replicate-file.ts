import { logOf } from './file/atomic-replace.js';
import type { StoreFile } from './file/store-file.js';
import type { PageSink, ReplicationOptions } from './replication/replication.js';
import { StoreShipper } from './replication/store-shipper.js';
import type { WalletReader } from './wallet-reader.js';
import type { WalletWriter } from './wallet-writer.js';

/** Option of a store that `WalletStore.replicate` is called for. */
export interface StoreOptions {
  /** True if the pages in the log must not be lost before they are stored at a sink. */
  readonly isReplicated?: boolean;
}

/** Parts of a store whose file is replicated. */
interface Replicated {
  readonly file: StoreFile;
  readonly reader: WalletReader;
  /** Commits the changes that are only in memory. */
  readonly settle: () => void;
  readonly write: (task: (w: WalletWriter) => void) => void;
}

/**
 * Begins to ship the pages of a store that is open and in no transaction.
 * @throws Error if the store was not opened to be replicated.
 */
export function replicateFile(
  { file, reader, settle, write }: Replicated,
  sink: PageSink,
  options: ReplicationOptions,
): StoreShipper {
  const { location } = file;
  if (location?.isReplicated !== true) throw new Error('the store was not opened to be replicated');
  const store = {
    settle,
    log: logOf(location.path),
    frames: file.committedFrames,
    needsBase: location.lacksLog || reader.meta.get('base_needed') !== undefined,
    mainBytes: () => file.mainBytes(),
    readMain: (bytes: Uint8Array, offset: number) => file.readMain(bytes, offset),
    flush: () => file.flush(),
    markBaseNeeded: (isNeeded: boolean) =>
      write((w) => (isNeeded ? w.meta.set('base_needed', '1') : w.meta.remove('base_needed'))),
  };
  const shipper = new StoreShipper(store, sink, options);
  file.keepLog(shipper);
  return shipper;
}
