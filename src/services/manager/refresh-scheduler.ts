import type { Logger } from 'pino';
import { DaemonError } from '../../daemon/errors.js';
import { yieldToEventLoop } from '../../util/yield-to-event-loop.js';
import type { OpenWallet } from '../open-wallet.js';

export const DEFAULT_PERIOD_SECONDS = 20;

/** Time before a failed refresh is tried again [ms]; doubles from the first to the last. */
const RETRY_MS = { first: 1000, last: 60_000 };

/** Refreshes started in one turn of the event loop: each reads its wallet's store for less than a millisecond. */
const STARTED_AT_ONCE = 4;

/** The parts of an open wallet that are scheduled. */
export type ScheduledWallet = Pick<OpenWallet, 'name' | 'context' | 'sync'>;

interface Schedule {
  /** Refresh period [s]; undefined: refreshed by request only. */
  period: number | undefined;
  /** Time of the next refresh [ms since the scheduler was created]. */
  due: number;
  isRefreshing: boolean;
  /** Failures in a row that are not the daemon's. */
  failures: number;
}

/**
 * Refreshes the open wallets of a server periodically. Wallets with one period are due at the same moments, so that they
 * share one pass over the chain. Where the daemon fails, all are tried again at growing intervals.
 */
export class RefreshScheduler {
  readonly #log: Logger;
  readonly #schedules = new Map<ScheduledWallet, Schedule>();
  readonly #origin = performance.now();
  #timer: NodeJS.Timeout | undefined;
  /** Attempts in a row at which the daemon failed; wallets that ask it at the same moment are one attempt. */
  #daemonFailures = 0;
  /** Time of the next attempt after a failure of the daemon, the same for all wallets [ms]. */
  #retryAt = 0;
  #stopped = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Refreshes a wallet from now on, first at once. @param period [s]; undefined: refreshed by request only. */
  add(wallet: ScheduledWallet, period: number | undefined): void {
    this.#schedules.set(wallet, { period, due: this.#now(), isRefreshing: false, failures: 0 });
    this.#arm();
  }

  remove(wallet: ScheduledWallet): void {
    this.#schedules.delete(wallet);
  }

  /** Passes the period of a wallet on to the one that was opened in its place. */
  replace(before: ScheduledWallet, after: ScheduledWallet): void {
    const period = this.#schedules.get(before)?.period;
    this.remove(before);
    this.add(after, period);
  }

  /** @param seconds undefined: refreshed by request only. */
  setPeriod(wallet: ScheduledWallet, seconds: number | undefined): void {
    const schedule = this.#schedules.get(wallet);
    if (schedule === undefined) return;
    schedule.period = seconds;
    schedule.due = this.#now();
    this.#arm();
  }

  /** Refreshes every wallet at once and forgets earlier failures. For a server with another daemon. */
  startOver(): void {
    this.#daemonFailures = 0;
    for (const schedule of this.#schedules.values()) {
      schedule.due = this.#now();
      schedule.failures = 0;
    }
    this.#arm();
  }

  /** Starts no refresh any more. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #now(): number {
    return performance.now() - this.#origin;
  }

  /** Sets the timer to the earliest refresh that is due. */
  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    let earliest = Infinity;
    for (const { period, due, isRefreshing } of this.#schedules.values())
      if (period !== undefined && !isRefreshing) earliest = Math.min(earliest, due);
    if (earliest === Infinity) return;
    this.#timer = setTimeout(() => void this.#cycle(), Math.max(0, earliest - this.#now())).unref();
  }

  /** Starts the refresh of every wallet that is due. */
  async #cycle(): Promise<void> {
    const start = this.#now();
    const asOf = performance.timeOrigin + performance.now();
    let started = 0;
    for (const [wallet, schedule] of [...this.#schedules]) {
      if (schedule.period === undefined || schedule.isRefreshing || schedule.due > start) continue;
      if (this.#schedules.get(wallet) !== schedule) continue;
      void this.#refresh(wallet, schedule, start, asOf);
      started += 1;
      if (started % STARTED_AT_ONCE === 0) await yieldToEventLoop();
    }
    this.#arm();
  }

  async #refresh(wallet: ScheduledWallet, schedule: Schedule, cycle: number, asOf: number): Promise<void> {
    const { daemon } = wallet.context;
    schedule.isRefreshing = true;
    let wait: number | undefined;
    try {
      if (daemon.address !== undefined) {
        await wallet.sync.refresh({ asOf });
        this.#daemonAnswers();
      }
      schedule.failures = 0;
    } catch (error) {
      if (this.#schedules.get(wallet) !== schedule) return;
      if (!(error instanceof DaemonError)) {
        schedule.failures += 1;
        this.#log.error({ err: error, name: wallet.name }, 'a refresh failed');
        wait = backOff(schedule.failures);
      } else if (daemon.address !== undefined) {
        this.#noteDaemonFailure(error, daemon.address, cycle);
        wait = Math.max(0, this.#retryAt - this.#now());
      }
    } finally {
      schedule.isRefreshing = false;
    }
    const now = this.#now();
    // Due times are multiples of the period, the same for every wallet with it.
    const period = 1000 * (schedule.period ?? DEFAULT_PERIOD_SECONDS);
    if (schedule.due <= cycle)
      schedule.due = wait === undefined ? (Math.floor(now / period) + 1) * period : now + wait;
    this.#arm();
  }

  #daemonAnswers(): void {
    if (this.#daemonFailures === 0) return;
    this.#log.info('the daemon answers again');
    this.#daemonFailures = 0;
    this.#retryAt = Math.min(this.#retryAt, this.#now());
  }

  /** Counts a failure once an attempt, not once a wallet, and logs the first one of an outage. */
  #noteDaemonFailure({ message, code }: DaemonError, address: string, cycle: number): void {
    if (cycle < this.#retryAt) return;
    this.#daemonFailures += 1;
    this.#retryAt = this.#now() + backOff(this.#daemonFailures);
    if (this.#daemonFailures > 1) return;
    this.#log.warn(
      { daemon: address, reason: message, code },
      'the daemon cannot be used; trying again. Start it, or name another with --daemon-address or set_daemon',
    );
  }
}

const backOff = (failures: number): number =>
  Math.min(RETRY_MS.first * 2 ** Math.max(0, failures - 1), RETRY_MS.last);
