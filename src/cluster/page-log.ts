import type { BaseSize, Lease } from './lease.js';

/** Largest part of a base. */
export const MOST_PART_BYTES = 1024 * 1024;

/** One change of a log. */
export interface LoggedFrame {
  readonly sequence: number;
  readonly frame: Uint8Array;
}

/** The content of a log at one moment. */
export interface LogContent {
  /** The newest complete base; undefined if there is none. */
  readonly base?: BaseSize;
  /** The last sequence; that of the base if no frame follows it; 0 for an empty log. */
  readonly sequence: number;
  /** Number of frames above the base, and their size. */
  readonly frames: { readonly count: number; readonly bytes: number };
  /**
   * Reads the parts of the base in order, then the frames above it without a gap. To be called once, to the end.
   * @throws ClusterUnreachable
   */
  readBase(): AsyncIterable<Uint8Array>;
  readFrames(): AsyncIterable<LoggedFrame>;
  /** Ends the reading. */
  close(): Promise<void>;
}

/**
 * The logs of the wallets. A log is a sequence of frames 1, 2, 3…; a base contains the log up to a sequence. The content
 * of a wallet is its newest base and all frames above it.
 */
export interface PageLogs {
  /**
   * Appends a frame, and waits for the quorum. Repeating it with the same sequence and bytes stores it once, and
   * returns when the quorum has it. Calls for one wallet run one after another.
   * @param sequence one above the last.
   * @throws Fenced, NotReplicated if the quorum did not acknowledge it in time, RangeError if there is a gap, or other
   * bytes have the sequence.
   */
  append(lease: Lease, sequence: number, frame: Uint8Array): Promise<void>;
  /**
   * Replaces the base in one transaction, and deletes the frames that it contains in portions after it. Frames can be
   * appended meanwhile.
   * @param sequence the base contains the log up to this sequence, which must have been acknowledged; or it is above
   * the last frame: the base then takes the place of the whole log, as that of a store that was made anew.
   * @param parts the base in parts of at most {@link MOST_PART_BYTES}.
   * @param keysFile content of the keys file, which the same transaction stores: a wallet that gets new keys gets a new
   * store, and neither opens the other's. Absent: the keys file stays.
   * @throws Fenced, NotReplicated; then the earlier base and all frames are there, unless the last answer was lost.
   */
  putBase(
    lease: Lease,
    sequence: number,
    parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    keysFile?: Uint8Array,
  ): Promise<void>;
  /**
   * Opens the content of a log at this moment for reading. Needs no lease, but a taker must read after `take`.
   * @returns undefined if the cluster does not know the wallet. @throws ClusterUnreachable
   */
  read(name: string): Promise<LogContent | undefined>;
}
