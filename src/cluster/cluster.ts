import type { TimeOfDay } from '../util/clock.js';
import type { ClusterSecret } from './cluster-secret.js';
import type { BaseSize, Lease, Leases } from './lease.js';

/** Longest wait for an answer of the database, by default [ms]. */
export const DEFAULT_TIMEOUT_MS = 5000;

/** Time of a lease, by default [ms]. */
export const DEFAULT_LEASE_MS = 3500;

/** Messages of the cluster: a fixed phrase with fields beside it. */
export interface ClusterLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Settings with which a process takes part in a cluster. */
export interface ClusterSettings {
  /** Address of the database: `postgres://user:password@host:port,host:port/database?sslmode=verify-full`. */
  readonly urls: string;
  readonly secret: ClusterSecret;
  /**
   * This process: the URL at which the other processes reach it, and the number of wallets that it is meant to hold at
   * most.
   */
  readonly member: { readonly url: string; readonly capacity: number };
  /** Longest wait for the acknowledgement of one write, and for one answer of the database [ms]; {@link DEFAULT_TIMEOUT_MS} by default. */
  readonly timeoutMs?: number;
  /** Time that a lease lasts without a renewal [ms]; {@link DEFAULT_LEASE_MS} by default. The same in all processes. */
  readonly leaseMs?: number;
  /** Allows a database without a quorum of standbys: a commit that one machine alone has stored is acknowledged. */
  readonly isSingle: boolean;
  readonly log: ClusterLog;
}

/**
 * Capacity of a command that moves wallets in and out of a cluster: it joins to have leases, and is no member otherwise. The
 * smallest capacity of a process is 1.
 */
export const OF_COMMAND = 0;

/** A process of the cluster, as this process and others see it. */
export interface Member {
  /** URL at which the other members reach the process. */
  readonly url: string;
  /** Number of wallets that the process is meant to hold at most. */
  readonly capacity: number;
  /** True as long as the process renews its leases. */
  readonly isAlive: boolean;
  /**
   * Time until the leases of the member end without a further renewal, as this process has seen it [ms]; 0 once they
   * have ended.
   */
  readonly remainingMs: number;
  /** Number of wallets that the process holds. */
  readonly wallets: number;
  /** True for this process. */
  readonly isSelf: boolean;
}

/** The processes of the cluster. This process joined when the database was opened. */
export interface Members {
  /** Lists all members, sorted by URL, without commands. @throws ClusterUnreachable */
  list(): Promise<readonly Member[]>;
  /** Frees all wallets of this process, and leaves the cluster. @throws NotReplicated, ClusterUnreachable */
  leave(): Promise<void>;
}

/** Whether a quorum of the databases of the cluster still confirms that this process is a member. */
export interface Quorum {
  /**
   * Time since the last commit was sent that a quorum has confirmed while this process was a member, or, before the
   * first one, since this process has joined [ms]; 0 in a cluster whose database is one machine.
   */
  readonly silentMs: number;
  /**
   * True if the last confirmation is so long ago that another process may have taken over the wallets of this process,
   * in a standby that was promoted: this process must not even read them for a client. Also true before the first
   * confirmation.
   */
  readonly isLost: boolean;
  /** Adds a listener that is called whenever `isLost` has changed. */
  onChange(listener: () => void): void;
}

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
  /** The last sequence of the log: the sequence of the base if no frame follows the base; 0 for an empty log. */
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
   * the last frame: the base then takes the place of the whole log, as does the base of a store that was made anew.
   * @param parts the base in parts of at most {@link MOST_PART_BYTES}.
   * @param keysFile content of the keys file, which the same transaction stores: a wallet that gets new keys gets a new
   * store, and neither keys open the store of the others. Absent: the keys file stays.
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

/** The clock of the database of a cluster. */
export interface ClusterClock extends TimeOfDay {
  /** Time by which the clock of this machine is ahead of the clock of the database [ms]. */
  readonly aheadMs: number;
}

/** The database of a cluster, as a process that joined it uses it. `openCluster` of `cluster-database.ts` returns it. */
export interface Cluster {
  /** The clock of the database, by which signatures between processes are dated. */
  readonly clock: ClusterClock;
  readonly leases: Leases;
  readonly logs: PageLogs;
  readonly members: Members;
  readonly quorum: Quorum;
  /**
   * Ends the renewals and closes the connections. Leases that were not released lapse; nothing is written.
   */
  close(): Promise<void>;
}
