import type { Logger } from 'pino';
import type { ScheduledFork } from '../daemon/daemon.js';
import { DaemonError } from '../daemon/errors.js';
import { monotonicMs, unixSeconds, type TimeOfDay } from '../util/clock.js';
import { comingForks } from './coming-forks.js';
import { forkNotices } from './fork-notices.js';

/** Access to the daemon of a server. */
interface ForkSource {
  /** Newest version of blocks whose rules the server knows. */
  readonly newestFork: number;
  daemonInfo(deadline: number): Promise<{ readonly height: number }>;
  daemonForks(deadline: number): Promise<readonly ScheduledFork[]>;
}

export interface ForkReminderParts {
  readonly daemon: ForkSource;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  readonly clock: TimeOfDay;
  /** Returns the monotonic time [ms]; absent: that of the process. */
  readonly elapsed?: () => number;
}

/** Time after the start at which the daemon is asked for its forks [ms]. */
const FIRST_MS = 1000;
/** Time after which it is asked again, and after which it is asked again if it has not answered [ms]. */
const LOOK_MS = 3_600_000;
const RETRY_MS = 60_000;
/** Longest time for the daemon's answer [ms]. */
const DEADLINE_MS = 10_000;
/** Time after which a notice is repeated [ms]: a day, less the time for which a look may be early. */
const REPEAT_MS = 86_400_000 - LOOK_MS / 2;
/** Number of notices whose times are kept. */
const MOST_KEPT = 64;

/** Writes the notices of forks to the log: when the daemon has named its forks, and once a day. */
export class ForkReminder {
  readonly #parts: ForkReminderParts;
  readonly #elapsed: () => number;
  /** Times of the last notices [ms of `elapsed`], by the fork and whether it is past. */
  readonly #written = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ForkReminderParts) {
    this.#parts = parts;
    this.#elapsed = parts.elapsed ?? monotonicMs;
  }

  /** Begins to look; to be called once. */
  start(): void {
    this.#schedule(FIRST_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Asks the daemon, and writes the notices that were not written within a day.
   * @returns false if the daemon cannot be asked, or does not answer.
   */
  async look(): Promise<boolean> {
    const { daemon } = this.#parts;
    try {
      const [{ height }, forks] = await Promise.all([
        daemon.daemonInfo(DEADLINE_MS),
        daemon.daemonForks(DEADLINE_MS),
      ]);
      this.#remind(height, forks);
      return true;
    } catch (error) {
      if (error instanceof DaemonError) return false;
      throw error;
    }
  }

  #remind(daemonHeight: number, forks: readonly ScheduledFork[]): void {
    const { daemon, log, clock } = this.#parts;
    const notices = forkNotices(comingForks(forks, daemonHeight), {
      newestFork: daemon.newestFork,
      now: unixSeconds(clock),
    });
    const now = this.#elapsed();
    for (const { version, height, blocks, text } of notices) {
      const name = `${version} ${height} ${blocks > 0}`;
      if (now - (this.#written.get(name) ?? -Infinity) < REPEAT_MS) continue;
      // A daemon that names other heights each time fills the log with a line an hour, and no memory.
      if (this.#written.size >= MOST_KEPT) this.#written.clear();
      this.#written.set(name, now);
      log.warn({ version, height, blocks }, text);
    }
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      const looking = this.look().catch((error: unknown) => {
        this.#parts.log.error({ err: error }, 'bug: the forks of the daemon cannot be read');
        return false;
      });
      void looking.then((isAnswered) => {
        if (this.#timer !== undefined) this.#schedule(isAnswered ? LOOK_MS : RETRY_MS);
      });
    }, ms);
    this.#timer.unref();
  }
}
