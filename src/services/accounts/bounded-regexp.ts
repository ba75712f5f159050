import { createContext, runInContext } from 'node:vm';
import { threadCpuMs, yieldToEventLoop } from '../../util/event-loop.js';
import { pagesOf } from '../../util/paged.js';

/** Longest expression [characters]. */
const MAX_PATTERN = 1000;
/**
 * Time limit for matching the texts of one turn of the event loop [ms]. The limit stops an expression that backtracks
 * exponentially.
 */
const BUDGET_MS = 50;
/**
 * Largest number of attempts to match within the limit, since other programs may keep this program from a processor.
 */
const MOST_ATTEMPTS = 60;
/**
 * Number of attempts whose processor time must show that the expression is slow, because collections of garbage can
 * fill some attempts.
 */
const SLOW_ATTEMPTS = 5;

/** Error of a regular expression that is invalid, too long, or takes too long to match. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** One attempt to match texts, and the clock of its processor time; tests use others. */
export interface MatchingParts {
  /** Selects the texts that match. @throws any error once `ms` [ms] have passed */
  readonly match: (ms: number, pattern: string, texts: readonly string[]) => string[];
  /** Processor time that this thread has used [ms]. */
  readonly cpuMs: () => number;
}

/** Number of texts that are matched in one turn of the event loop. */
const TEXTS_AT_ONCE = 4096;

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0);

/**
 * Selects the texts that an expression matches completely, a share of them in each turn of the event loop.
 * @param pattern expression from a client; its matching time is limited. @throws PatternError
 */
export async function matching(
  pattern: string,
  texts: readonly string[],
  parts: MatchingParts = { match: matchingWithin, cpuMs: threadCpuMs },
): Promise<string[]> {
  if (pattern.length > MAX_PATTERN) throw new PatternError('the expression is too long');
  try {
    new RegExp(pattern, 's');
  } catch (cause) {
    throw new PatternError('it is not a regular expression', { cause });
  }
  const found: string[] = [];
  for await (const share of pagesOf(texts, TEXTS_AT_ONCE, lengthOf))
    found.push(...(await matchingShare(pattern, share, parts)));
  return found;
}

/** Selects the texts of a share. @throws PatternError if that takes too long. */
async function matchingShare(
  pattern: string,
  texts: readonly string[],
  { match, cpuMs }: MatchingParts,
): Promise<string[]> {
  // The time limit of V8 counts elapsed time. Only the processor time that was used shows whether the expression is the
  // cause.
  let slow = 0;
  for (let attempt = 1; ; attempt++) {
    const before = cpuMs();
    try {
      return match(BUDGET_MS, pattern, texts);
    } catch (cause) {
      if (cpuMs() - before > BUDGET_MS / 2) slow++;
      if (slow === SLOW_ATTEMPTS || attempt === MOST_ATTEMPTS)
        throw new PatternError('the expression takes too long to match', { cause });
      await yieldToEventLoop();
    }
  }
}

/** Matches texts within a time limit [ms]. @throws Error of V8 if the time is exceeded. */
function matchingWithin(timeout: number, pattern: string, texts: readonly string[]): string[] {
  // V8 can stop an expression only if it runs in a context with a timeout.
  const context = createContext({ pattern: `^(?:${pattern})$`, texts: JSON.stringify(texts) });
  const found: unknown = runInContext(
    'const expression = new RegExp(pattern, "s"); JSON.stringify(JSON.parse(texts).map((text) => expression.test(text)))',
    context,
    { timeout },
  );
  const flags = JSON.parse(String(found)) as readonly boolean[];
  return texts.filter((_, i) => flags[i] === true);
}
