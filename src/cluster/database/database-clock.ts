import { monotonicMs, systemClock } from '../../util/clock.js';
import type { ClusterClock, ClusterLog } from '../cluster.js';
import type { Sessions } from './sessions.js';

/** Interval between two looks at the clock of the database [ms]. */
const LOOK_MS = 2000;

/** Difference between the clocks of this machine and of the database from which it is logged [ms]. */
const NOTED_MS = 30_000;

/** Longest time of an answer from which the time is taken: half of it may be the error [ms]. */
const MOST_ANSWER_MS = 5000;

/**
 * The clock of the database, which all processes of a cluster see: it is read at intervals, and the time since then is
 * counted by a clock that no one sets. So processes agree on the time whatever the clocks of their machines say.
 */
export class DatabaseClock implements ClusterClock {
  readonly #log: ClusterLog;
  /** Time of the database [Unix ms] when the monotonic clock of this process was 0. */
  #zero = systemClock.now() - monotonicMs();
  #timer: NodeJS.Timeout | undefined;
  #isOff = false;

  constructor(log: ClusterLog) {
    this.#log = log;
  }

  now(): number {
    return Math.round(this.#zero + monotonicMs());
  }

  /** Time by which the clock of this machine is ahead of the clock of the database [ms]. */
  get aheadMs(): number {
    return systemClock.now() - this.now();
  }

  /**
   * Takes over a reading of the clock of the database.
   * @param sent time at which the database was asked, on the monotonic clock [ms].
   */
  note(time: number, sent: number): void {
    const answered = monotonicMs();
    if (answered - sent > MOST_ANSWER_MS) return;
    this.#zero = time - (sent + answered) / 2;
    const isOff = Math.abs(this.aheadMs) > NOTED_MS;
    if (isOff === this.#isOff) return;
    this.#isOff = isOff;
    const fields = { aheadSeconds: Math.round(this.aheadMs / 1000) };
    if (isOff)
      this.#log.warn(fields, 'the clocks of this machine and of the database differ: set the wrong one');
    else this.#log.info(fields, 'the clocks of this machine and of the database agree again');
  }

  /** Begins to read the clock at intervals. */
  follow(sessions: Pick<Sessions, 'read'>): void {
    this.#timer = setTimeout(() => {
      const sent = monotonicMs();
      sessions
        .read((sql) => sql`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS time`)
        .then(([row]) => this.note(Number(row?.['time']), sent))
        // After a failure, the time goes on by the clock of this process.
        .catch(() => undefined)
        .finally(() => {
          if (this.#timer !== undefined) this.follow(sessions);
        });
    }, LOOK_MS);
  }

  /** Ends the reading. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
