import type { DatabaseClock } from './database-clock.js';
import type { Leases } from './lease.js';
import type { Members } from './member.js';
import type { PageLogs } from './page-log.js';
import type { Quorum } from './quorum.js';

/** The database of a cluster, as a process that joined it uses it. `openCluster` of `cluster-database.ts` returns it. */
export interface Cluster {
  /** The clock of the database, by which signatures between processes are dated. */
  readonly clock: Pick<DatabaseClock, 'now' | 'aheadMs'>;
  readonly leases: Leases;
  readonly logs: PageLogs;
  readonly members: Members;
  readonly quorum: Quorum;
  /**
   * Ends the renewals and closes the connections. Leases that were not released lapse; nothing is written.
   */
  close(): Promise<void>;
}
