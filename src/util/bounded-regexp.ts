import { createContext, runInContext } from 'node:vm';

/** Longest expression [characters]. */
const MAX_PATTERN = 1000;
/** Time limit for matching all texts [ms]; it stops an expression that backtracks exponentially. */
const BUDGET_MS = 50;
/** Most attempts to match within the limit, while other programs keep this one from a processor. */
const MOST_ATTEMPTS = 20;

/** A regular expression is invalid or too long, or takes too long to match. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/**
 * Selects the texts that an expression matches from beginning to end.
 * @param pattern chosen by a client, so its matching time is bounded. @throws PatternError
 */
export function matching(pattern: string, texts: readonly string[]): string[] {
  if (pattern.length > MAX_PATTERN) throw new PatternError('the expression is too long');
  try {
    new RegExp(pattern, 's');
  } catch (cause) {
    throw new PatternError('it is not a regular expression', { cause });
  }
  // The time limit of the engine is one of the clock. Only processor time shows that the expression is at fault.
  for (let attempt = 1; ; attempt++) {
    const before = usedMs();
    try {
      return matchingWithin(BUDGET_MS, pattern, texts);
    } catch (cause) {
      if (usedMs() - before > BUDGET_MS / 2 || attempt === MOST_ATTEMPTS)
        throw new PatternError('the expression takes too long to match', { cause });
    }
  }
}

/** Processor time of this process [ms]. */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** @throws Error of the engine when the time is over. */
function matchingWithin(timeout: number, pattern: string, texts: readonly string[]): string[] {
  // The engine can stop an expression only when it runs in a context with a timeout.
  const context = createContext({ pattern: `^(?:${pattern})$`, texts: JSON.stringify(texts) });
  const found: unknown = runInContext(
    'const expression = new RegExp(pattern, "s"); JSON.stringify(JSON.parse(texts).map((text) => expression.test(text)))',
    context,
    { timeout },
  );
  const flags = JSON.parse(String(found)) as readonly boolean[];
  return texts.filter((_, i) => flags[i] === true);
}
