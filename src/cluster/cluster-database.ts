import { monotonicMs, systemClock } from '../util/clock.js';
import { readAddress } from './database/address.js';
import { type Cluster, DEFAULT_LEASE_MS, DEFAULT_TIMEOUT_MS, type ClusterSettings } from './cluster.js';
import type { ClusterSecret } from './cluster-secret.js';
import { DatabaseClock } from './database/database-clock.js';
import { DatabaseLeases } from './leases/database-leases.js';
import { DatabaseLogs } from './logs/database-logs.js';
import { DatabaseMembers } from './members/database-members.js';
import { DatabaseQuorum } from './members/database-quorum.js';
import { ClusterRefused, ClusterUnreachable } from './errors.js';
import { Membership } from './members/membership.js';
import { checkSchema, createSchema } from './database/schema.js';
import { CallFailed, type DatabaseState, type Session } from './database/session.js';
import { Sessions } from './database/sessions.js';

/**
 * Largest difference of the clocks of process and database [ms]. No rule depends on the difference: a larger difference
 * is a mistake of the configuration.
 */
const MOST_CLOCK_MS = 600_000;

/** Values of `synchronous_commit` with which a commit does not wait for the disk of a standby. */
const WEAK_COMMITS = ['off', 'local', 'remote_write'];

/** Turns a failed call at the start into the error of the interface. */
const startError = (error: unknown): unknown =>
  error instanceof CallFailed
    ? new ClusterUnreachable(`--cluster: the database cannot be used: ${error.message}`, { cause: error })
    : error;

/** Compares the clocks of process and database. @throws ClusterRefused `clock` */
function checkClock(state: DatabaseState): void {
  const here = systemClock.now();
  if (Math.abs(state.time - here) <= MOST_CLOCK_MS) return;
  throw new ClusterRefused(
    'clock',
    `--cluster: the clock of this machine says ${new Date(here).toISOString()}, that of the database ${new Date(state.time).toISOString()}: set the wrong one`,
  );
}

/** Checks the configured acknowledgement of commits. @throws ClusterRefused `no_quorum` */
function checkCommits({ synchronousCommit }: DatabaseState): void {
  if (WEAK_COMMITS.includes(synchronousCommit))
    throw new ClusterRefused(
      'no_quorum',
      `--cluster: synchronous_commit is ${synchronousCommit} in the database: set it to on, or allow one machine by --cluster-single`,
    );
}

/**
 * Joins a cluster: checks the database, and starts to renew the leases of this process.
 * @throws ClusterRefused for each reason; ClusterUnreachable
 */
export async function openCluster(settings: ClusterSettings): Promise<Cluster> {
  const {
    secret,
    isSingle,
    log,
    member,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    leaseMs = DEFAULT_LEASE_MS,
  } = settings;
  const sessions = new Sessions({ address: readAddress(settings.urls), timeoutMs, isSingle, log });
  const membership = new Membership({ sessions, secret, ...member, leaseMs, log });
  const quorum = new DatabaseQuorum({ sessions, membership, leaseMs, timeoutMs, isSingle, log });
  const clock = new DatabaseClock(log);
  try {
    let session: Session | undefined;
    try {
      const sent = monotonicMs();
      session = await sessions.connect(timeoutMs, timeoutMs);
      clock.note(session.state.time, sent);
      if (!isSingle) checkCommits(session.state);
      if (!session.state.isFlushing)
        log.warn({}, 'fsync is off in the database: a power failure loses wallets');
      checkClock(session.state);
      await checkSchema(session, secret, timeoutMs);
    } finally {
      session?.end();
    }
    if (!(await membership.join()))
      throw new ClusterRefused(
        'member_taken',
        `--cluster-url: another process has joined the cluster as ${member.url}, and lives: each needs a URL of its own`,
      );
  } catch (error) {
    membership.close();
    sessions.close();
    throw startError(error);
  }
  await quorum.start();
  clock.follow(sessions);
  return {
    quorum,
    clock,
    leases: new DatabaseLeases({ sessions, membership, secret, log }),
    logs: new DatabaseLogs({ sessions, membership, secret, timeoutMs }),
    members: new DatabaseMembers({ sessions, membership, secret, log }),
    async close() {
      quorum.close();
      clock.close();
      membership.close();
      sessions.close();
    },
  };
}

/**
 * Makes the tables of a cluster in a database, unless they exist.
 * @returns false if the tables were there already, made with this secret. @throws ClusterRefused, ClusterUnreachable
 */
export async function initCluster(urls: string, secret: ClusterSecret): Promise<boolean> {
  const log = { info: () => undefined, warn: () => undefined };
  // Making the tables needs no quorum.
  const sessions = new Sessions({
    address: readAddress(urls),
    timeoutMs: DEFAULT_TIMEOUT_MS,
    isSingle: true,
    log,
  });
  try {
    const session = await sessions.connect(DEFAULT_TIMEOUT_MS, DEFAULT_TIMEOUT_MS);
    try {
      return await createSchema(session, secret);
    } finally {
      session.end();
    }
  } catch (error) {
    throw startError(error);
  } finally {
    sessions.close();
  }
}
