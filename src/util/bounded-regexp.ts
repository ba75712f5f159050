import { runInNewContext } from 'node:vm';

/** Longest expression. */
const MAX_PATTERN = 1000;
/** Time for all texts together; an expression whose matching explodes is given up then. */
const BUDGET_MS = 50;

/** An expression that cannot be read, or takes too long to match. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/**
 * Those texts that the whole of an expression matches.
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
    // Out of the engine's ways to run an expression, only this one can be stopped.
    const found: unknown = runInNewContext(
      'const expression = new RegExp(pattern, "s"); JSON.stringify(JSON.parse(texts).map((text) => expression.test(text)))',
      { pattern: `^(?:${pattern})$`, texts: JSON.stringify(texts) },
      { timeout: BUDGET_MS },
    );
    const flags = JSON.parse(String(found)) as readonly boolean[];
    return texts.filter((_, i) => flags[i] === true);
  } catch (cause) {
    throw new PatternError('the expression takes too long to match', { cause });
  }
}
