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
  /** Commits the changes that the store keeps in memory. */
  settle(): void;
  /** Flushes all commits to disk, and reports the end by `noteFlushed`. */
  flush(): Promise<void>;
  /** Marks in the store, on disk, that the sink needs a base; or removes the mark. */
  markBaseNeeded(isNeeded: boolean): void;
}

/**
 * Error of a new base that did not take the place of the former base at the sink, which keeps the former base and all
 * frames since then.
 */
export class BaseNotRenewedError extends Error {
  override readonly name = 'BaseNotRenewedError';
}

/** State of the sink, and times of the shipper of one store. */
export interface ReplicationOptions {
  /** Number of the last frame or base that the sink has stored; 0 if the sink has neither. */
  readonly sequence: number;
  /** Size of the base at the sink [bytes]; 0 if the sink has no base, so that the shipper begins with a base. */
  readonly baseBytes: number;
  /** Size of all frames at the sink since its base [bytes]. */
  readonly frameBytes: number;
  /** Longest time that a commit stays unsent if no caller waits for it [ms]; 5000 if absent. */
  readonly delayMs?: number;
  /** Longest time that `replicated()` waits [ms]; 5000 if absent. */
  readonly timeoutMs?: number;
  /**
   * Size of the log from which the log may start again although the sink did not store it [pages]; 16,000 if absent,
   * which is 62 MiB. The sink then needs a new base.
   */
  readonly longestLog?: number;
  /** Is called with each error of the sink, for the log, and with {@link BaseNotRenewedError}; must not throw. */
  readonly onError?: (error: unknown) => void;
}

/** Ships the committed pages of an open store to a sink. `WalletStore.replicate` makes it. */
export interface Replication {
  /**
   * Resolves when the sink has stored all commits of durable writes until now. Pages for which no caller waits are sent
   * along.
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

  /** Number of bases since the store was opened that did not take the place of the former base. */
  readonly failedBases: number;

  /**
   * Commits the changes that the store keeps in memory, ships all commits and stops. Call it before
   * `WalletStore.close`, which keeps the log beside the main file if a commit was not shipped.
   * @param timeoutMs longest time to wait [ms].
   * @throws NotReplicatedError if a commit is not stored at the sink; shipping has stopped nevertheless.
   */
  close(timeoutMs?: number): Promise<void>;

  /** Stops the shipping, without shipping the remaining commits. */
  drop(): void;
}

/**
 * Receiver of the pages of one store. Frames and bases are numbered with one growing sequence: a base with number `s`
 * contains all frames up to frame `s`, and frame `s + 1` follows both the base and frame `s`.
 *
 * An error other than {@link NotStoredError} and {@link SinkEndedError} leaves open whether the frame was stored, or
 * will be stored. The shipper then sends the same bytes under the same number until they are stored, and the sink
 * accepts a frame that it already has. Only a process of a later lease may send other bytes under the same number: from
 * then on, the sink must refuse bytes of the earlier lease.
 */
export interface PageSink {
  /**
   * Stores a frame in the form that `encodeFrame` returns. Called for one frame at a time, in the order of their
   * numbers. The sink may keep the array.
   * @throws NotStoredError, SinkEndedError, or any error after which the outcome is unknown.
   */
  append(sequence: number, frame: Uint8Array): Promise<void>;

  /**
   * Stores a base, which replaces the earlier base and the frames up to `sequence`, also frames that arrive late.
   * Frames with greater numbers may be appended meanwhile, and follow on the earlier base, too. If a base is needed
   * because frames are missing, no frame is appended meanwhile.
   * @param parts content of the base, which `rebuildStore` reads: parts of about 1 MiB, which are read once, in order.
   * Reading throws if the store is closed meanwhile; the base is then incomplete and must not be used.
   * @throws any error: the shipper makes a new base later, with the same number or a greater number.
   */
  putBase(sequence: number, parts: AsyncIterable<Uint8Array>): Promise<void>;
}

/**
 * Error of a call of `append` that has certainly not stored the frame, and never will. If all calls with a number have
 * failed in this way, other bytes may be sent under the number.
 */
export class NotStoredError extends Error {
  override readonly name = 'NotStoredError';
}

/**
 * Error of a sink that takes no more frames of this store, because another process holds the store now. The shipper
 * stops.
 */
export class SinkEndedError extends Error {
  override readonly name = 'SinkEndedError';
}

/**
 * Error of a wait for commits that are not known to be stored at the sink. Its `cause` is the last error of the sink,
 * if the sink had an error.
 */
export class NotReplicatedError extends Error {
  override readonly name = 'NotReplicatedError';

  /** True if the pages will not be sent any more; false if they are sent again. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isFinal = isFinal;
  }
}
