import { systemRng, type Rng } from '../../util/random.js';
import type { DeliveryLog, EventSource, QueuedEvent } from './delivery-log.js';
import { nextWait, type DeliveryResult } from './sender.js';

/**
 * Name of a lane. `fresh`: first attempts, in the order of the event ids. `retry`: further attempts, in the order of
 * the due times.
 */
export type LaneName = 'fresh' | 'retry';

/** An attempt to be made. */
export interface Job {
  readonly lane: LaneName;
  readonly event: QueuedEvent;
  /** Number of attempts made before. */
  readonly attempts: number;
}

/** Next step of a lane: an attempt, a wait [ms], or no step until the next event. */
export type NextStep =
  | { readonly job: Job; readonly waitMs?: undefined }
  | { readonly job?: undefined; readonly waitMs: number }
  | undefined;

/**
 * Shortest and longest pause of a lane after a failed attempt [ms], so that an endpoint that fails, or that asks for
 * fewer requests, does not receive a backlog at full speed. The pause also limits the attempts after the clock was set
 * forward.
 */
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/**
 * Decides which attempt of an endpoint is next. Each lane has at most one attempt at a time. The position moves only
 * when the result of a first attempt is recorded, so that no event gets its first attempt after a later event was
 * acknowledged.
 */
export class EndpointQueue {
  readonly #log: DeliveryLog;
  readonly #events: EventSource;
  readonly #rng: Rng;
  /** Id up to which the source has no event for the endpoint after the position. */
  #searched = 0;
  #pausedUntil: Record<LaneName, number> = { fresh: 0, retry: 0 };
  /** Latest time that was seen [Unix ms]; an earlier time shows that the clock was set back. */
  #latest: number;

  /** @param now Unix time [ms]; attempts scheduled later are scheduled again. */
  constructor(log: DeliveryLog, events: EventSource, now: number, rng: Rng = systemRng) {
    this.#log = log;
    this.#events = events;
    this.#rng = rng;
    this.#latest = now;
    log.rebase(now);
  }

  /** Returns the next step of a lane. @param now Unix time [ms]. */
  next(lane: LaneName, now: number): NextStep {
    this.#observe(now);
    if (this.#log.isDisabled()) return undefined;
    const pause = this.#pausedUntil[lane] - now;
    const step = lane === 'fresh' ? this.#fresh() : this.#retry(now);
    return step !== undefined && pause > 0 ? { waitMs: Math.max(pause, step.waitMs ?? 0) } : step;
  }

  /** Records the result of an attempt. An aborted attempt counts as not made. @param now Unix time [ms]. */
  settle({ lane, event, attempts: before }: Job, result: DeliveryResult, now: number): void {
    if (result.kind === 'aborted') return;
    this.#observe(now);
    const attempt = { eventId: event.id, attempts: before + 1, time: now };
    if (result.kind === 'delivered') {
      this.#log.record({ ...attempt, state: 'delivered', status: result.status });
      return;
    }
    const { status, reason, retryAfter } =
      result.kind === 'gone' ? { status: 410, reason: 'status' as const, retryAfter: undefined } : result;
    const wait = nextWait(attempt.attempts, retryAfter, this.#rng);
    this.#log.record({
      ...attempt,
      ...(wait === undefined ? { state: 'failed' } : { state: 'pending', next: { due: now + wait, wait } }),
      ...(status === undefined ? {} : { status }),
      reason,
      ...(result.kind === 'gone' ? { disable: true } : {}),
    });
    const pause = Math.min(Math.max(retryAfter ?? 0, MIN_PAUSE_MS), MAX_PAUSE_MS);
    this.#pausedUntil[lane] = now + pause;
  }

  /** Resolves once all recorded results are on disk. */
  flush(): Promise<void> {
    return this.#log.flush();
  }

  #fresh(): NextStep {
    const after = Math.max(this.#log.position(), this.#searched);
    const found = this.#events.next(after);
    if (found.event === undefined) {
      this.#searched = Math.max(after, found.upTo);
      return undefined;
    }
    if (found.event.id <= after) throw new RangeError('an event source went back');
    return { job: { lane: 'fresh', event: found.event, attempts: 0 } };
  }

  #retry(now: number): NextStep {
    for (;;) {
      const pending = this.#log.earliest();
      if (pending === undefined) return undefined;
      const { eventId, attempts, due } = pending;
      if (due > now) return { waitMs: due - now };
      const event = this.#events.byId(eventId);
      if (event !== undefined) return { job: { lane: 'retry', event, attempts } };
      this.#log.record({ eventId, attempts, time: now, state: 'failed', reason: 'expired' });
    }
  }

  /** Schedules waiting attempts again if the clock was set back, so that no wait becomes longer than its own length. */
  #observe(now: number): void {
    if (now < this.#latest) {
      this.#log.rebase(now);
      this.#pausedUntil = { fresh: 0, retry: 0 };
    }
    this.#latest = now;
  }
}
