import type { DaemonCallReport } from '../../daemon/call-report.js';
import type { DaemonErrorKind } from '../../daemon/errors.js';

/** Kinds of failures after which the daemon is in use all the same: it answers. */
const ANSWERS: ReadonlySet<DaemonErrorKind> = new Set(['busy', 'rejected', 'too_large']);

/** Key of the count over all calls. */
const ANY_CALL = '';

/**
 * Consecutive failures of a daemon: those of any call since the last answer, and those of each call since its own last
 * answer, as a daemon may answer some calls only. Calls that overlap a counted failure are not counted.
 */
export class FailureCount {
  readonly #counts = new Map<string, { readonly count: number; readonly end: number }>();
  #last: string | undefined;

  /** The greatest of the counts. */
  get count(): number {
    return Math.max(0, ...[...this.#counts.values()].map(({ count }) => count));
  }

  /** Description of the last failure. */
  get last(): string {
    return this.#last ?? 'none';
  }

  /** @param now monotonic time of its end [ms]. */
  note({ call, seconds, failure }: DaemonCallReport, now: number): void {
    if (failure === undefined || ANSWERS.has(failure)) this.noteAnswer(call);
    else this.noteFailure(call, `${failure} in ${call}`, { start: now - 1000 * seconds, end: now });
  }

  noteAnswer(call: string): void {
    this.#counts.delete(ANY_CALL);
    this.#counts.delete(call);
  }

  /** @param at monotonic time of the call [ms]. */
  noteFailure(call: string, reason: string, at: { readonly start: number; readonly end: number }): void {
    this.#last = reason;
    for (const key of [ANY_CALL, call]) {
      const { count = 0, end = -Infinity } = this.#counts.get(key) ?? {};
      if (at.start >= end) this.#counts.set(key, { count: count + 1, end: at.end });
    }
  }

  clear(): void {
    this.#counts.clear();
    this.#last = undefined;
  }
}
