import type { DaemonCallReport } from '../../daemon/call-report.js';
import { isAnswered } from '../../daemon/errors.js';

/** Key of the count of failed calls of any name. */
const ANY_CALL = '';

/**
 * Consecutive failures of a daemon: over all calls since the last answer, and for each call name since the last answer
 * to that call, since a daemon may answer some calls only. A failed call that overlaps a counted failure is not
 * counted.
 */
export class FailureCount {
  readonly #counts = new Map<string, { readonly count: number; readonly end: number }>();
  #last: string | undefined;

  /** Greatest of all counts. */
  get count(): number {
    return Math.max(0, ...[...this.#counts.values()].map(({ count }) => count));
  }

  /** Description of the last failure. */
  get last(): string {
    return this.#last ?? 'none';
  }

  /** Counts the end of a call. @param now monotonic time at which the call ended [ms]. */
  note({ call, seconds, failure, status }: DaemonCallReport, now: number): void {
    if (isAnswered(failure, status)) this.noteAnswer(call);
    else {
      const reason = `${status === undefined ? failure : `HTTP status ${status}`} in ${call}`;
      this.noteFailure(call, reason, { start: now - 1000 * seconds, end: now });
    }
  }

  /** Records an answer, which ends the counts over all calls and of this call. */
  noteAnswer(call: string): void {
    this.#counts.delete(ANY_CALL);
    this.#counts.delete(call);
  }

  /** Counts a failed call. @param at monotonic times at which the call started and ended [ms]. */
  noteFailure(call: string, reason: string, at: { readonly start: number; readonly end: number }): void {
    this.#last = reason;
    for (const key of [ANY_CALL, call]) {
      const { count = 0, end = -Infinity } = this.#counts.get(key) ?? {};
      if (at.start >= end) this.#counts.set(key, { count: count + 1, end: at.end });
    }
  }

  /** Sets all counts to zero. */
  clear(): void {
    this.#counts.clear();
    this.#last = undefined;
  }
}
