import type { Attempt } from './attempt.js';
import type { Refusal } from './signature.js';

/** Decision after an attempt to pass a request on. */
export type NextStep =
  /** The answer goes to the client. */
  | 'pass'
  /** The holder is looked up again, and the request is sent again. */
  | 'again'
  /** The client learns that nothing has run. */
  | 'refuse'
  /** The client learns that the outcome is unknown. */
  | 'unknown';

/** Refusals that end when the holder is known, or the request is signed anew. */
const PASSING: readonly string[] = ['not-holder', 'not-yet', 'seen'] satisfies readonly Refusal[];

/** Lists the facts about a request after an attempt. */
export interface Standing {
  /** True if a second run of the request changes nothing beyond the first. */
  readonly isRepeatable: boolean;
  /** True if an earlier attempt may have run. */
  readonly mayHaveRun: boolean;
  /** True while there is time for another attempt. */
  readonly isInTime: boolean;
}

/**
 * Decides whether a request is sent again. This is the only place that does: a request that may have run is repeated only
 * if a second run changes nothing, and never answered as if it had not run.
 */
export function nextStep(result: Attempt, { isRepeatable, mayHaveRun, isInTime }: Standing): NextStep {
  if (result.kind === 'answered') return 'pass';
  const mayRun = mayHaveRun || result.kind === 'lost';
  const isPassing =
    result.kind === 'not-sent' ||
    (result.kind === 'lost' && isRepeatable) ||
    (result.kind === 'refused' && PASSING.includes(result.refusal));
  if (isPassing && isInTime) return 'again';
  return mayRun ? 'unknown' : 'refuse';
}
