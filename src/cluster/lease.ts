/** The right of this process to open one wallet for writing, until it ends. */
export interface Lease {
  /** The name of the wallet. */
  readonly name: string;
  /** Number that grows by one whenever the wallet gets a holder; part of every write. */
  readonly epoch: bigint;
  /**
   * Returns whether the lease lasts, by the clocks of this process, which count from before the last renewal was sent.
   * @param marginMs time for which it must last at least [ms]; 0 by default.
   */
  isValid(marginMs?: number): boolean;
  /** Returns the time that the lease lasts without a further renewal [ms]; 0 once it has ended or is lost. */
  remainingMs(): number;
}

/** A wallet that this process has taken. */
export interface Taken {
  readonly state: 'taken';
  readonly lease: Lease;
  /** The keys file, as given to `create` or `setKeysFile`. */
  readonly keysFile: Uint8Array;
  /** The last sequence of the wallet's log; 0 if nothing was appended. The next frame has the sequence above. */
  readonly sequence: number;
  /** The newest complete base, if there is one. */
  readonly base?: BaseSize;
  /**
   * True if the wallet had no store when it was added: while its log has no base, its store can be made from its keys.
   */
  readonly isNew: boolean;
  /** True unless the last holder of the wallet has closed it on purpose, by `release`. */
  readonly wasServed: boolean;
}

/** A wallet that another process holds. */
export interface HeldBy {
  readonly state: 'held';
  /** The URL of the member that holds the wallet. */
  readonly holder: string;
  /** The epoch of the member's lease. */
  readonly epoch: bigint;
  /** Time that the lease lasts without a further renewal, as this process has seen its holder [ms]. */
  readonly remainingMs: number;
}

/** Place of the files of a wallet that has left the cluster. */
export interface Departure {
  /** Random text, which is also in the mark beside the files. */
  readonly token: string;
  readonly host: string;
  readonly directory: string;
  /** Time at which the wallet left [Unix ms]. */
  readonly time: number;
}

/** A wallet that has left the cluster: no process can take it. */
export interface Left {
  readonly state: 'left';
  readonly departure: Departure;
  readonly epoch: bigint;
}

/** A base of a wallet. */
export interface BaseSize {
  /** The base contains the log up to this sequence. */
  readonly sequence: number;
  /** The size of the base. */
  readonly bytes: number;
}

/** A wallet of the cluster. */
export interface WalletEntry {
  readonly name: string;
  /**
   * The URL of the member that has the lease, or had it; undefined once the lease was released, and for a holder that
   * was not written with the secret.
   */
  readonly holder?: string;
  /** True if the wallet has a holder that was not written with the secret. */
  readonly hasFalseHolder?: boolean;
  readonly epoch: bigint;
  /** Place of the wallet's files, if it has left the cluster. */
  readonly departure?: Departure;
  /** True if no process has the lease. */
  readonly isLapsed: boolean;
  /** True if this process has the lease. */
  readonly isHere: boolean;
  /** The last sequence of the wallet's log. */
  readonly sequence: number;
  /** The size of base and frames in the database. */
  readonly bytes: number;
}

/**
 * Reason why a lease ended without a call of this process: `lapsed`, its time passed without a renewal, or the database
 * says so; `taken`, another process or a person changed its holder.
 */
export type LossReason = 'lapsed' | 'taken';

export interface CreateOptions {
  readonly hasStore: boolean;
  readonly returnsFrom?: string | undefined;
}

/**
 * The leases of the wallets, and their keys files. Every method but `list` waits for the quorum.
 * @throws NotReplicated, ClusterUnreachable from every method.
 */
export interface Leases {
  /**
   * Adds a wallet to the cluster, with an empty log and epoch 1.
   * @param keysFile content of its keys file; stored under the secret of the cluster.
   * @param options `hasStore`: the wallet has a store with content that its keys do not give back. `returnsFrom`: token of
   * the departure of a wallet that has left the cluster, and comes back with an empty log and the next epoch.
   * @throws WalletKnown
   */
  create(name: string, keysFile: Uint8Array, options?: CreateOptions): Promise<Lease>;
  /**
   * Takes a wallet without a holder, a wallet whose lease has ended, or a wallet of which this member is the holder by
   * its URL (after a restart, or because it was handed over). An earlier lease of this process for the wallet ends.
   * @returns undefined if the cluster does not know the wallet.
   */
  take(name: string): Promise<Taken | HeldBy | Left | undefined>;
  /** Renews all leases of this process now; a loop also renews them at intervals. Does not wait for the quorum. */
  renew(): Promise<void>;
  /**
   * Adds a listener that is called once for each lease that ends without a call of this process, at the latest at the
   * moment when it lapses. The wallet must be closed at once, and its local file must not be used to continue.
   */
  onLost(listener: (lease: Lease, reason: LossReason) => void): void;
  /** Frees a wallet that was closed on purpose, for anybody to take. The lease ends before the call is sent. */
  release(lease: Lease): Promise<void>;
  /**
   * Frees a wallet that another process has to serve: `list` shows it like a wallet whose holder has ended. The lease
   * ends before the call is sent.
   */
  abandon(lease: Lease): Promise<void>;
  /**
   * Gives a wallet to another member: `list` shows that member as its holder, and no other process can take it as long as
   * that member lives. The lease ends before the call is sent. @throws Fenced; MemberGone, and the lease goes on.
   */
  handOver(lease: Lease, memberUrl: string): Promise<void>;
  /**
   * Takes a wallet out of the cluster: its files are elsewhere now. Its row stays, with the next epoch and without its
   * keys, so that no process of any version takes it. The lease ends. @throws Fenced
   */
  leave(lease: Lease, departure: Departure): Promise<void>;
  /** Lists all wallets of the cluster, sorted by name. */
  list(): Promise<readonly WalletEntry[]>;
  /** Replaces the keys file, after a change of its password. @throws Fenced */
  setKeysFile(lease: Lease, keysFile: Uint8Array): Promise<void>;
  /** Deletes a wallet with its log and its keys file from the database. The lease ends. @throws Fenced */
  remove(lease: Lease): Promise<void>;
}
