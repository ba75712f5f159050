import { Listeners } from '../../util/listeners.js';
import type { ClusterLog, Quorum } from '../cluster.js';
import { type Membership, Moment } from './membership.js';
import type { Session } from '../database/session.js';
import type { Sessions } from '../database/sessions.js';

/**
 * Number of leases after which a quorum counts as lost if it has confirmed nothing. After one lease, other processes could
 * already take the wallets of this process with a promoted standby. Three leases pass without harm, because a failover takes
 * longer (Patroni waits for 30 seconds), and keep a restarting standby or a slow disk from stopping all reads.
 */
const LEASES = 3;

/** Number of confirmations within the time of a lease. */
const CONFIRMATIONS = 2;

/** Pause after a try that failed [ms]. */
const RETRY_MS = 200;

export interface DatabaseQuorumOptions {
  readonly sessions: Sessions;
  readonly membership: Membership;
  readonly leaseMs: number;
  /** Longest wait for one confirmation [ms]. */
  readonly timeoutMs: number;
  /** True: the database is one machine, which alone confirms commits. */
  readonly isSingle: boolean;
  readonly log: ClusterLog;
}

/**
 * Asks for the confirmation of a quorum at intervals, also while no wallet changes. Renewals are no confirmation: they
 * are committed by one server alone, which may be a former primary. Each question adds a record of its own to confirm,
 * and locks no row, so that no renewal waits for it. It has a connection of its own, so that it waits for no write.
 */
export class DatabaseQuorum implements Quorum {
  readonly #options: DatabaseQuorumOptions;
  readonly #changes = new Listeners<[]>();
  /** Moment at which this process began to ask. */
  #began = new Moment();
  /** Moment before the last confirmed question was sent; undefined before the first confirmation. */
  #confirmed: Moment | undefined;
  /** The last value of {@link isLost} that the listeners know. */
  #wasLost = false;
  #session: Session | undefined;
  #next: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: DatabaseQuorumOptions) {
    this.#options = options;
  }

  get silentMs(): number {
    return this.#options.isSingle ? 0 : (this.#confirmed ?? this.#began).elapsedMs();
  }

  get isLost(): boolean {
    if (this.#options.isSingle) return false;
    return this.#confirmed === undefined || this.silentMs > this.#limitMs;
  }

  onChange(listener: () => void): void {
    this.#changes.add(listener);
  }

  /** Begins to ask. To be called once this process has joined. Resolves after the first question, answered or not. */
  async start(): Promise<void> {
    if (this.#options.isSingle) return;
    this.#began = new Moment();
    await this.#ask();
    this.#note();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#next);
    clearTimeout(this.#watch);
    this.#session?.end();
  }

  get #limitMs(): number {
    return LEASES * this.#options.leaseMs;
  }

  /** Tells the listeners of a change, and looks again when the time is over. */
  #note(): void {
    clearTimeout(this.#watch);
    if (this.#isClosed) return;
    const { isLost } = this;
    if (isLost !== this.#wasLost) {
      this.#wasLost = isLost;
      const { log } = this.#options;
      if (isLost)
        log.warn(
          { seconds: Math.round(this.silentMs / 1000) },
          'no standby confirms anything: calls are refused, since another process may have taken the wallets over',
        );
      else log.info({}, 'a standby confirms changes again: calls are answered');
      this.#changes.notify();
    }
    if (!isLost) this.#watch = setTimeout(() => this.#note(), Math.max(0, this.#limitMs - this.silentMs) + 1);
  }

  async #ask(): Promise<void> {
    let pauseMs = this.#options.leaseMs / CONFIRMATIONS;
    try {
      await this.#confirm();
    } catch {
      // Another server may take writes by now.
      this.#options.sessions.reset();
      pauseMs = RETRY_MS;
    }
    if (!this.#isClosed) this.#next = setTimeout(() => void this.#ask(), pauseMs);
  }

  /** Asks once. @throws Error without a confirmation */
  async #confirm(): Promise<void> {
    const { sessions, membership, isSingle } = this.#options;
    // A later answer would find the quorum lost.
    const timeoutMs = Math.min(this.#options.timeoutMs, this.#limitMs);
    if (this.#session === undefined || !sessions.isUsable(this.#session)) {
      this.#session?.end();
      this.#session = await sessions.connect(timeoutMs);
    }
    if (this.#isClosed) return this.#session.end();
    const sent = new Moment();
    const { joined } = await this.#session.commit(
      timeoutMs,
      (sql) => ({
        answer: sql`
          EXISTS (SELECT FROM wallet_rpc.member
            WHERE url = ${membership.url} AND process = ${membership.term.process}::uuid) AS joined`,
      }),
      isSingle,
    );
    // The next renewal notices that the membership has ended, and joins again.
    if (joined !== true) throw new Error('this process is no member at the moment');
    this.#confirmed = sent;
    this.#note();
  }
}
