import { createContext, runInContext } from 'node:vm';

/** Longest expression [characters]. */
const MAX_PATTERN = 1000;
/** Time limit for matching all texts [ms]; it stops an expression that backtracks exponentially. */
const BUDGET_MS = 50;

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
  try {
    // The engine can stop an expression only when it runs in a context with a timeout.
    const context = createContext({ pattern: `^(?:${pattern})$`, texts: JSON.stringify(texts) });
    const found: unknown = runInContext(
      'const expression = new RegExp(pattern, "s"); JSON.stringify(JSON.parse(texts).map((text) => expression.test(text)))',
      context,
      { timeout: BUDGET_MS },
    );
    const flags = JSON.parse(String(found)) as readonly boolean[];
    return texts.filter((_, i) => flags[i] === true);
  } catch (cause) {
    throw new PatternError('the expression takes too long to match', { cause });
  }
}
