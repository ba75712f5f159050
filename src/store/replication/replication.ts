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

/** A base did not take the place of the former one at the sink, which keeps that and all frames since then. */
export class BaseNotRenewedError extends Error {
  override readonly name = 'BaseNotRenewedError';
}

/** State of the sink, and times of the shipper of one store. */
export interface ReplicationOptions {
  /** Number of the last frame or base that the sink has stored; 0 if it has none. */
  readonly sequence: number;
  /** Size of the base at the sink [bytes]; 0 if it has none, so that the shipper begins with a base. */
  readonly baseBytes: number;
  /** Size of all frames at the sink since that base [bytes]. */
  readonly frameBytes: number;
  /** Longest time that a commit which nothing waits for stays unsent [ms]; 5000 if absent. */
  readonly delayMs?: number;
  /** Longest time that `replicated()` waits [ms]; 5000 if absent. */
  readonly timeoutMs?: number;
  /**
   * Size of the log from which it may start again although the sink did not store it [pages]; 16,000 if absent, which is
   * 62 MiB. The sink then needs a new base.
   */
  readonly longestLog?: number;
  /** Is called with each error of the sink, for the log, and with {@link BaseNotRenewedError}; must not throw. */
  readonly onError?: (error: unknown) => void;
}

/** Ships the committed pages of an open store to a sink. `WalletStore.replicate` makes it. */
export interface Replication {
  /**
   * Resolves when everything is stored at the sink that durable writes have committed until now. Pages that nothing
   * waits for go along.
   * @throws NotReplicatedError if the time is over (the pages stay queued and are sent again), or if the sink has
   * ended, or after {@link drop}.
   */
  replicated(): Promise<void>;

  /** True if commits for which a call, a listener or a checkpoint waits are not known to be stored at the sink. */
  readonly isBehind: boolean;

  /** Time since when {@link isBehind} is true, on the clock of `performance.now` [ms]; undefined if it is false. */
  readonly behindSince: number | undefined;

  /** Size of the committed log that is not known to be stored at the sink [bytes], an upper bound of the next frame. */
  readonly pendingBytes: number;

  /** Number of the last frame or base that is stored at the sink. */
  readonly sequence: number;

  /** Bytes that the sink has stored since the store was opened: frames and bases. */
  readonly shippedBytes: number;

  /** Number of frames that the sink has stored since the store was opened. */
  readonly frames: number;

  /** Number of bases that the sink has stored since the store was opened. */
  readonly bases: number;

  /** Number of bases that did not take the place of the former one, since the store was opened. */
  readonly failedBases: number;

  /**
   * Commits what the store keeps in memory, ships everything and stops. Call it before `WalletStore.close`, which keeps
   * the log beside the main file if something was not shipped.
   * @param timeoutMs longest time to wait [ms].
   * @throws NotReplicatedError if not everything is stored at the sink; shipping has stopped nevertheless.
   */
  close(timeoutMs?: number): Promise<void>;

  /** Stops without shipping the rest. */
  drop(): void;
}
