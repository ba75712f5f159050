/**
 * Capacity of a command that moves wallets in and out of a cluster: it joins to have leases, and is no member otherwise. The
 * smallest capacity of a process is 1.
 */
export const OF_COMMAND = 0;

/** A process of the cluster, as this process and others see it. */
export interface Member {
  /** Where the other members reach it. */
  readonly url: string;
  /** The number of wallets that it is meant to hold at most. */
  readonly capacity: number;
  /** True as long as it renews its leases. */
  readonly isAlive: boolean;
  /** Time until its leases end without a further renewal, as this process has seen it [ms]; 0 once they have ended. */
  readonly remainingMs: number;
  /** Number of wallets that it holds. */
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
