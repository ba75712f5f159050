import { comingForks, type ComingFork } from './coming-forks.js';
import { failureOf, type DaemonCallReport } from '../daemon/call-report.js';
import type { DaemonInfo, ScheduledFork } from '../daemon/daemon.js';
import { NEWEST_FORK } from '../monero/cryptonote/constants.js';
import { DaemonError, isAnswered } from '../daemon/errors.js';
import { waitAtMost } from '../util/concurrency.js';

/** Age of the daemon's state from which it is requested again [ms]. */
const RECENT_MS = 5_000;
/** Longest time for the daemon's answer [ms]. */
const DEADLINE_MS = 10_000;
/** Longest time for which a check waits for the answer [ms]. */
const WAIT_MS = 500;
/** Age from which the schedule of hard forks is requested again [ms]. */
const FORKS_MS = 3_600_000;

/** Access to the daemon of a server. */
export interface WatchedDaemon {
  /** Address `host:port` of the daemon as configured; undefined when offline. */
  readonly daemonAddress: string | undefined;
  /** Newest version of blocks whose rules the server knows; absent: {@link NEWEST_FORK}. */
  readonly newestFork?: number;
  /** Reads the state of the daemon. @param deadline longest time [ms]. @throws DaemonError */
  daemonInfo(deadline: number): Promise<DaemonInfo>;
  /** Reads the hard forks that the daemon knows; absent: they are unknown. @throws DaemonError */
  daemonForks?(deadline: number): Promise<readonly ScheduledFork[]>;
}

/**
 * State of the daemon, derived from the calls of the wallets. If there was no recent call, a check asks the daemon
 * itself.
 */
export class DaemonHealth {
  readonly #daemon: WatchedDaemon;
  readonly #now: () => number;
  #address: string | undefined;
  #info: DaemonInfo | undefined;
  /** Time at which the present number of blocks was first seen [ms]. */
  #heightSince = -Infinity;
  #forks: readonly ScheduledFork[] = [];
  #forksAsked = -Infinity;
  /** Time at which the state in {@link info} was last requested [ms]. */
  #asked = -Infinity;
  #asking: Promise<void> | undefined;
  #hasAnswered = false;
  /** Start time of the first failed call since the last answer [ms]; undefined if no call has failed since. */
  #failingSince: number | undefined;

  /** @param now returns the monotonic time [ms]. */
  constructor(daemon: WatchedDaemon, now: () => number = () => performance.now()) {
    this.#daemon = daemon;
    this.#now = now;
    this.#address = daemon.daemonAddress;
  }

  get isOffline(): boolean {
    return this.#daemon.daemonAddress === undefined;
  }

  /** True once the daemon has answered a call. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Duration of the current outage [s]; 0 if the last call was answered. */
  get outage(): number {
    return this.#failingSince === undefined ? 0 : (this.#now() - this.#failingSince) / 1000;
  }

  /** State in the latest answer to a {@link check}; undefined before the first answer. */
  get info(): DaemonInfo | undefined {
    return this.#info;
  }

  /** Time since the number of blocks of the daemon last changed, as far as it was watched [s]; 0 before an answer. */
  get sinceNewBlock(): number {
    return this.#info === undefined ? 0 : (this.#now() - this.#heightSince) / 1000;
  }

  /** Newest version of blocks whose rules the server knows. */
  get newestFork(): number {
    return this.#daemon.newestFork ?? NEWEST_FORK;
  }

  /** First hard fork above the daemon's chain; undefined if it knows none. */
  get nextFork(): ScheduledFork | undefined {
    return this.#ahead()[0];
  }

  /** First hard fork above the daemon's chain whose rules the server does not know; undefined if the daemon knows none. */
  get unknownFork(): ScheduledFork | undefined {
    return this.#ahead().find(({ version }) => version > this.newestFork);
  }

  /** See {@link comingForks}; empty before the daemon has named its blocks and forks. */
  get newForks(): readonly ComingFork[] {
    return this.#info === undefined ? [] : comingForks(this.#forks, this.#info.height);
  }

  #ahead(): ScheduledFork[] {
    const blocks = this.#info?.height ?? Infinity;
    return this.#forks.filter(({ height }) => height >= blocks).sort((a, b) => a.height - b.height);
  }

  /**
   * Records the end of a call on any thread. @param daemon address of the called daemon as configured; calls to
   * replaced daemons are ignored.
   */
  note({ seconds, failure, status }: DaemonCallReport, daemon = this.#daemon.daemonAddress): void {
    this.#followChange();
    // A chain with less work is no outage.
    if (daemon !== this.#address || failure === 'unverified') return;
    if (isAnswered(failure, status)) this.#noteAnswer();
    else this.#failingSince ??= this.#now() - 1000 * seconds;
  }

  /**
   * Requests the state of the daemon, unless it was requested recently. Waits for the answer at most {@link WAIT_MS}.
   */
  async check(): Promise<void> {
    this.#followChange();
    if (this.isOffline) return;
    if (this.#asking === undefined && this.#now() - this.#asked >= RECENT_MS) this.#asking = this.#ask();
    if (this.#asking !== undefined) await waitAtMost(this.#asking, WAIT_MS);
  }

  /** Forgets the state of a daemon that was replaced. */
  #followChange(): void {
    const address = this.#daemon.daemonAddress;
    if (address === this.#address) return;
    this.#address = address;
    this.#info = undefined;
    this.#forks = [];
    this.#forksAsked = -Infinity;
    this.#asked = -Infinity;
    this.#asking = undefined;
    this.#hasAnswered = false;
    this.#failingSince = undefined;
  }

  #noteAnswer(): void {
    this.#hasAnswered = true;
    this.#failingSince = undefined;
  }

  /** Requests the state of the daemon; never rejects. */
  async #ask(): Promise<void> {
    const address = this.#address;
    const start = this.#now();
    this.#asked = start;
    const outcome = await this.#daemon.daemonInfo(DEADLINE_MS).catch((error: unknown) => error);
    if (address !== this.#address) return;
    this.#asking = undefined;
    if (outcome instanceof DaemonError)
      this.note({ call: '', seconds: (this.#now() - start) / 1000, ...failureOf(outcome) });
    else if (!(outcome instanceof Error)) {
      const info = outcome as DaemonInfo;
      if (info.height !== this.#info?.height) this.#heightSince = this.#now();
      this.#info = info;
      this.#noteAnswer();
      if (this.#now() - this.#forksAsked >= FORKS_MS) void this.#askForks();
    }
  }

  /** Requests the schedule of hard forks; never rejects. A daemon that does not answer is asked again later. */
  async #askForks(): Promise<void> {
    const address = this.#address;
    this.#forksAsked = this.#now();
    try {
      const forks = (await this.#daemon.daemonForks?.(DEADLINE_MS)) ?? [];
      if (address === this.#address) this.#forks = forks;
    } catch {
      // The page only lacks the next fork until the daemon is asked again.
    }
  }
}
