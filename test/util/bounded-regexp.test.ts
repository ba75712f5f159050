import { describe, expect, it, test } from '@jest/globals';
import { matching, PatternError } from '../../src/util/bounded-regexp.js';

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

  it('refuses an expression that backtracks exponentially', async () => {
    await expect(matching('(a|a)*b', ['a'.repeat(60)])).rejects.toThrow(PatternError);
  });
});
