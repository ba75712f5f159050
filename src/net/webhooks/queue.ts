import { systemRng, type Rng } from '../../util/random.js';
import type { DeliveryLog, EventSource, QueuedEvent } from './delivery-log.js';
import { nextWait } from './schedule.js';
import type { DeliveryResult } from './sender.js';

/** `fresh`: first attempts, in the order of the ids. `retry`: further attempts, in the order of the due times. */
export type LaneName = 'fresh' | 'retry';

/** Attempt that is to be made. */
export interface Job {
  readonly lane: LaneName;
  readonly event: QueuedEvent;
  /** Attempts made before. */
  readonly attempts: number;
}

/** Next step of a lane: an attempt, a wait [ms], or nothing until the next event. */
export type NextStep =
  | { readonly job: Job; readonly waitMs?: undefined }
  | { readonly job?: undefined; readonly waitMs: number }
  | undefined;

/**
 * Shortest and longest pause of a lane after a failed attempt [ms]: an endpoint that is down, or that asks for fewer
 * requests, is not sent a backlog at full speed. It also bounds the attempts after the clock was stepped forward.
 */
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/**
 * Decides which attempt an endpoint gets next. Each lane has at most one attempt at a time. The position advances only
 * when the result of a first attempt is recorded, so no event is first sent after a later one was acknowledged.
 */
export class EndpointQueue {
  readonly #log: DeliveryLog;
  readonly #events: EventSource;
  readonly #rng: Rng;
  /** Id up to which the source has no event for the endpoint after the position. */
  #searched = 0;
  #pausedUntil: Record<LaneName, number> = { fresh: 0, retry: 0 };
  /** Latest time seen; an earlier one shows that the clock was stepped back. */
  #latest: number;

  /** @param now Unix time [ms]: attempts scheduled after it are rebased. */
  constructor(log: DeliveryLog, events: EventSource, now: number, rng: Rng = systemRng) {
    this.#log = log;
    this.#events = events;
    this.#rng = rng;
    this.#latest = now;
    log.rebase(now);
  }

  /** @param now Unix time [ms]. */
  next(lane: LaneName, now: number): NextStep {
    this.#observe(now);
    if (this.#log.isDisabled()) return undefined;
    const pause = this.#pausedUntil[lane] - now;
    const step = lane === 'fresh' ? this.#fresh() : this.#retry(now);
    return step !== undefined && pause > 0 ? { waitMs: Math.max(pause, step.waitMs ?? 0) } : step;
  }

  /** Records the result of an attempt. An aborted one stays as it was before. */
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

  /** Keeps a clock that was stepped back from lengthening any wait beyond its own length. */
  #observe(now: number): void {
    if (now < this.#latest) {
      this.#log.rebase(now);
      this.#pausedUntil = { fresh: 0, retry: 0 };
    }
    this.#latest = now;
  }
}
