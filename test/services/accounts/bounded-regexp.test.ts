import { describe, expect, it, test } from '@jest/globals';
import { matching, PatternError, type MatchingParts } from '../../../src/services/accounts/bounded-regexp.js';

/** Makes the first attempts to match fail. @param cpuMs processor time of each [ms]. */
function attemptsThatFail(cpuMs: number, failures: number): { parts: MatchingParts; made: () => number } {
  let made = 0;
  const match = (ms: number, _: string, texts: readonly string[]): string[] => {
    expect(ms).toBe(50);
    made += 1;
    if (made <= failures) throw new Error('Script execution timed out');
    return texts.slice(0, 1);
  };
  return { parts: { match, cpuMs: () => cpuMs * made }, made: () => made };
}

describe('matching an expression of a client', () => {
  test.each([
    ['a', ['a', 'aa', ''], ['a']],
    ['a|aa', ['a', 'aa', 'ab'], ['a', 'aa']],
    ['', ['', 'a'], ['']],
    ['.*', ['', 'a\nb'], ['', 'a\nb']],
    ['[^a]\\d{2}', ['b12', 'a12', 'b1'], ['b12']],
    ['☕+', ['☕☕', 'x'], ['☕☕']],
  ])('%j matches the whole of it', async (pattern, texts, expected) => {
    expect(await matching(pattern, texts)).toEqual(expected);
  });

  test.each([['('], ['a)|(b'], ['[z-a]'], ['*'], ['a'.repeat(1001)]])('%j is refused', async (pattern) => {
    await expect(matching(pattern, ['a'])).rejects.toThrow(PatternError);
  });

  it.each([4096, 4097, 8193])('%d texts are all matched, in shares', async (count) => {
    const texts = Array.from({ length: count }, (_, i) => `t${i}`);
    expect(await matching('t\\d+', texts)).toEqual(texts);
    expect(await matching('t(0|4095|4096|8192)', texts)).toEqual(
      ['t0', 't4095', 't4096', 't8192'].filter((text) => texts.includes(text)),
    );
  });

  // Half of the limit of an attempt, 50 ms, is not slow yet.
  test.each([
    ['4 slow attempts', 26, 4, 5],
    ['59 attempts without processor time', 25, 59, 60],
  ])('is repeated after %s', async (_, cpuMs, failures, attempts) => {
    const { parts, made } = attemptsThatFail(cpuMs, failures);
    expect(await matching('a', ['a', 'b'], parts)).toEqual(['a']);
    expect(made()).toBe(attempts);
  });

  test.each([
    ['5 slow attempts', 26, 5],
    ['60 attempts without processor time', 25, 60],
  ])('is given up after %s', async (_, cpuMs, failures) => {
    const { parts, made } = attemptsThatFail(cpuMs, failures);
    await expect(matching('a', ['a', 'b'], parts)).rejects.toThrow('takes too long');
    expect(made()).toBe(failures);
  });

  it('refuses an expression that backtracks exponentially', async () => {
    await expect(matching('(a|a)*b', ['a'.repeat(60)])).rejects.toThrow(PatternError);
  });
});
