import type { Logger } from 'pino';
import type { DaemonCallReport, ObserveDaemons } from '../../daemon/call-report.js';
import { DaemonError } from '../../daemon/errors.js';
import { backOff, monotonicMs } from '../../util/clock.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import type { OpenWallet } from '../open-wallet.js';

/** Default refresh period [s]. Source: wallet_rpc_server.cpp `DEFAULT_AUTO_REFRESH_PERIOD`. */
export const DEFAULT_PERIOD_SECONDS = 20;

/** Shortest and longest time before a failed refresh is tried again [ms]; the time doubles with each failure. */
const RETRY_MS = { first: 1000, last: 60_000 };

/**
 * Number of refreshes started between two yields to the event loop: each reads its wallet's store for less than 1 ms.
 */
const STARTS_PER_TURN = 4;

/** Parts of an open wallet that the scheduler needs. */
export type ScheduledWallet = Pick<OpenWallet, 'name' | 'context' | 'sync'>;

interface Schedule {
  /** Refresh period [s]; undefined: the wallet is refreshed on request only. */
  period: number | undefined;
  /** Time of the next refresh [ms since the scheduler was created]. */
  due: number;
  isRefreshing: boolean;
  /** Latest time until which the first refresh waits for other wallets that are being created [ms]. */
  waitsUntil: number;
  /** Number of consecutive failures that the daemon has not caused. */
  failures: number;
}

/**
 * Refreshes the open wallets of a server periodically. Wallets with the same period are due at the same times, so that
 * they share one pass over the chain. After a failure of the daemon, all wallets are tried again at growing intervals.
 */
export class RefreshScheduler {
  readonly #log: Logger;
  readonly #schedules = new Map<ScheduledWallet, Schedule>();
  readonly #origin = performance.now();
  #timer: NodeJS.Timeout | undefined;
  /** Number of consecutive failed attempts to reach the daemon; refreshes started in one cycle count as one attempt. */
  #daemonFailures = 0;
  /** Time of the next attempt for all wallets after a failure of the daemon [ms]. */
  #retryAt = 0;
  #stopped = false;
  readonly #group = new CreationGroup(() => this.#now());
  /** True while a cycle starts refreshes, and no second cycle may start. */
  #isStarting = false;

  readonly #onRefreshed: ObserveDaemons;

  /**
   * @param onRefreshed receives a report of each refresh that has succeeded, or that answers of the daemon did not allow
   * although each of them follows the protocol.
   */
  constructor(log: Logger, onRefreshed: ObserveDaemons = () => undefined) {
    this.#log = log;
    this.#onRefreshed = onRefreshed;
  }

  /**
   * Schedules a wallet; its first refresh is due now.
   * @param period refresh period [s]; undefined: refreshed on request only.
   * @param isNew true for a wallet that {@link creating} has just created.
   */
  add(wallet: ScheduledWallet, period: number | undefined, { isNew = false } = {}): void {
    const waitsUntil = isNew ? this.#group.limit : -Infinity;
    this.#schedules.set(wallet, { period, due: this.#now(), isRefreshing: false, waitsUntil, failures: 0 });
    this.#arm();
  }

  /**
   * Runs a task that creates a wallet. The first refreshes of wallets that are created at about the same time begin
   * together, so that they share one pass over the chain from its start.
   * @param task receives true for the first wallet of such a group.
   */
  async creating<T>(task: (isFirst: boolean) => Promise<T>): Promise<T> {
    const isFirst = this.#group.begin();
    try {
      return await task(isFirst);
    } finally {
      this.#group.end();
      this.#arm();
    }
  }

  /** Ends the periodic refresh of a wallet. */
  remove(wallet: ScheduledWallet): void {
    this.#schedules.delete(wallet);
  }

  /** Gives the period of a closed wallet to the wallet that was opened in its place. */
  replace(before: ScheduledWallet, after: ScheduledWallet): void {
    const period = this.#schedules.get(before)?.period;
    this.remove(before);
    this.add(after, period);
  }

  /**
   * Sets the refresh period of a wallet, and makes the wallet due now.
   * @param seconds period [s]; undefined: refreshed on request only.
   */
  setPeriod(wallet: ScheduledWallet, seconds: number | undefined): void {
    const schedule = this.#schedules.get(wallet);
    if (schedule === undefined) return;
    schedule.period = seconds;
    schedule.due = this.#now();
    this.#arm();
  }

  /** Makes every wallet due now and clears all failure counts, after a switch to another daemon. */
  restart(): void {
    this.#daemonFailures = 0;
    this.#retryAt = 0;
    for (const schedule of this.#schedules.values()) {
      schedule.due = this.#now();
      schedule.failures = 0;
    }
    this.#arm();
  }

  /**
   * Makes every periodically refreshed wallet due now, because the daemon has a new block or transaction. A running
   * refresh, which may have missed the news, is followed by another refresh. Does nothing during an outage of the
   * daemon.
   */
  refreshNow(): void {
    if (this.#daemonFailures > 0) return;
    const now = this.#now();
    for (const schedule of this.#schedules.values()) if (schedule.failures === 0) schedule.due = now;
    this.#arm();
  }

  /** Starts no further refresh. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** Earliest time of the next refresh of a wallet [ms]. */
  #startOf({ due, waitsUntil }: Schedule): number {
    return Math.max(due, Math.min(waitsUntil, this.#group.heldUntil));
  }

  #now(): number {
    return performance.now() - this.#origin;
  }

  /** Sets the timer to the earliest due time, unless a cycle is about to do so. */
  #arm(): void {
    if (this.#isStarting) return;
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    let earliest = Infinity;
    for (const schedule of this.#schedules.values())
      if (schedule.period !== undefined && !schedule.isRefreshing)
        earliest = Math.min(earliest, this.#startOf(schedule));
    if (earliest === Infinity) return;
    this.#timer = setTimeout(() => void this.#cycle(), Math.max(0, earliest - this.#now())).unref();
  }

  /** Starts the refresh of every due wallet, all with the same `asOf`, so that they share answers of the daemon. */
  async #cycle(): Promise<void> {
    this.#isStarting = true;
    const start = this.#now();
    const asOf = monotonicMs();
    let started = 0;
    for (const [wallet, schedule] of [...this.#schedules]) {
      if (schedule.period === undefined || schedule.isRefreshing || this.#startOf(schedule) > start) continue;
      if (this.#stopped || this.#schedules.get(wallet) !== schedule) continue;
      void this.#refresh(wallet, schedule, start, asOf);
      started += 1;
      if (started % STARTS_PER_TURN === 0) await yieldToEventLoop();
    }
    this.#isStarting = false;
    this.#arm();
  }

  async #refresh(wallet: ScheduledWallet, schedule: Schedule, cycle: number, asOf: number): Promise<void> {
    const { address } = wallet.context.daemon;
    const started = this.#now();
    const note = (failure: Partial<DaemonCallReport> = {}): void => {
      const report = { call: 'refresh', seconds: (this.#now() - started) / 1000, ...failure };
      if (address !== undefined) this.#onRefreshed(report, address);
    };
    schedule.isRefreshing = true;
    schedule.waitsUntil = -Infinity;
    let wait: number | undefined;
    try {
      if (address !== undefined) {
        await wallet.sync.refresh({ asOf });
        this.#noteDaemonAnswer();
        note();
      }
      schedule.failures = 0;
    } catch (error) {
      if (this.#schedules.get(wallet) !== schedule) return;
      if (!(error instanceof DaemonError)) {
        schedule.failures += 1;
        this.#log.error({ err: error, name: wallet.name }, 'refreshing a wallet failed; it is tried again');
        wait = backOff(schedule.failures, RETRY_MS);
      } else if (address !== undefined) {
        this.#noteDaemonFailure(error, address, cycle);
        // All other failures are those of a call, which has reported them.
        if (error.kind === 'malformed') note({ failure: error.kind });
        wait = Math.max(0, this.#retryAt - this.#now());
      }
    } finally {
      schedule.isRefreshing = false;
    }
    const now = this.#now();
    // Due times are multiples of the period, and so the same for all wallets with the same period.
    const period = 1000 * (schedule.period ?? DEFAULT_PERIOD_SECONDS);
    if (schedule.due <= cycle)
      schedule.due = wait === undefined ? (Math.floor(now / period) + 1) * period : now + wait;
    this.#arm();
  }

  #noteDaemonAnswer(): void {
    if (this.#daemonFailures === 0) return;
    this.#log.info('the daemon answers again');
    this.#daemonFailures = 0;
    this.#retryAt = Math.min(this.#retryAt, this.#now());
  }

  /** Counts a failure of the daemon once per cycle, not once per wallet, and logs the first failure of an outage. */
  #noteDaemonFailure({ kind, message, code }: DaemonError, address: string, cycle: number): void {
    if (cycle < this.#retryAt) return;
    this.#daemonFailures += 1;
    this.#retryAt = this.#now() + backOff(this.#daemonFailures, RETRY_MS);
    if (this.#daemonFailures > 1) return;
    this.#log.warn({ daemon: address, reason: message, code }, troubleOf(kind));
  }
}

/** Describes an outage for the log. */
function troubleOf(kind: DaemonError['kind']): string {
  if (kind === 'newer_fork')
    return 'the chain follows rules that this server does not know: no wallet goes beyond this block until it is updated';
  if (kind === 'unverified')
    return 'new blocks do not count: their proof of work is not verified, or too few nodes name them; it is tried again';
  return 'the daemon cannot be used; it is tried again. Start it, or name another with --daemon-address or set_daemon';
}

/** Longest time for which first refreshes wait for further creations [ms]. */
const MOST_MS = 10_000;

/** Time after the end of a creation in which the next creation of the group may begin, for example in a script [ms]. */
const GAP_MS = 200;

/** Group of wallets that are created at about the same time, and whose first refreshes begin together. */
class CreationGroup {
  readonly #now: () => number;
  /** Number of running creations. */
  #running = 0;
  #lastEnd = -Infinity;
  #limit = -Infinity;

  /** @param now returns the time [ms]. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records the start of a creation. @returns true if the creation begins a new group, because no group is waiting. */
  begin(): boolean {
    const isFirst = this.#now() >= this.heldUntil;
    if (isFirst) this.#limit = this.#now() + MOST_MS;
    this.#running += 1;
    return isFirst;
  }

  end(): void {
    this.#running -= 1;
    this.#lastEnd = this.#now();
  }

  /** Latest time until which wallets of this group wait [ms]. */
  get limit(): number {
    return this.#limit;
  }

  /** Time until which the first refreshes of created wallets wait [ms]; changes when a creation begins or ends. */
  get heldUntil(): number {
    return this.#running > 0 ? this.#limit : Math.min(this.#limit, this.#lastEnd + GAP_MS);
  }
}
