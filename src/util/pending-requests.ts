import { performance } from 'node:perf_hooks';
import { RequestActivity } from './request-activity.js';

/** Age [ms] from which a request is no longer waited for: a refresh is a request too. */
const RECENT_MS = 20;

/** Registers requests that have no answer yet, so that work that can be deferred runs after them. */
export class PendingRequests {
  readonly #clock: () => number;
  /** Start time [ms] by request, oldest first; requests that are no longer recent are dropped on the next look-up. */
  readonly #startTimes = new Map<symbol, number>();
  readonly #deferred = new Set<() => void>();
  /** Moment of the last request. */
  readonly activity: RequestActivity;

  /** @param clock milliseconds. @param activity notes each request. */
  constructor(clock: () => number = () => performance.now(), activity = new RequestActivity()) {
    this.#clock = clock;
    this.activity = activity;
  }

  /** Registers a request. @returns a function that removes it: call it once it is answered or abandoned. */
  begin(): () => void {
    const request = Symbol('request');
    this.activity.note();
    this.#startTimes.set(request, this.#clock());
    return () => {
      this.#startTimes.delete(request);
      if (!this.anyRecent) for (const run of [...this.#deferred]) run();
    };
  }

  /** True while a request is pending that began less than {@link RECENT_MS} ago. */
  get anyRecent(): boolean {
    const since = this.#clock() - RECENT_MS;
    for (const [request, startTime] of this.#startTimes) {
      if (startTime > since) return true;
      this.#startTimes.delete(request);
    }
    return false;
  }

  /**
   * Runs `goOn` when no recent request is pending, or after `limit` ms.
   * @returns a function that runs `goOn` at once unless it has run.
   */
  whenNoneRecent(limit: number, goOn: () => void): () => void {
    const run = (): void => {
      clearTimeout(timer);
      if (this.#deferred.delete(run)) goOn();
    };
    const timer = setTimeout(run, limit);
    this.#deferred.add(run);
    return run;
  }
}
