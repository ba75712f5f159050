import type { ReadMain } from './base-parts.js';

/** Operations of an open store that its shipper uses. */
export interface ShippedStore {
  /** Path of the write-ahead log. */
  readonly log: string;
  /** Size of the committed log [pages]. */
  readonly frames: number;
  /** True if the sink may lack pages that are not in the log any more. */
  readonly needsBase: boolean;
  /** Size of the main file [bytes]. */
  mainBytes(): number;
  readonly readMain: ReadMain;
  /** Commits what the store keeps in memory. */
  settle(): void;
  /** Flushes all commits to disk, and reports it by `noteFlushed`. */
  flush(): Promise<void>;
  /** Marks in the store, on disk, that the sink needs a base; or removes the mark. */
  markBaseNeeded(isNeeded: boolean): void;
}
