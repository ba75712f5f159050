import { existsSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import { LONG_FILES, longestFirst } from './longest-first.js';

const fileOf = (name: string): string => new URL(`../../${name}.test.js`, import.meta.url).pathname;

describe('the order of test files', () => {
  it('begins with the longest ones, and keeps the order of the others', () => {
    const tests = ['a', 'short', 'b', 'long', 'c'].map((name) => ({ path: fileOf(name) }));
    expect(longestFirst(tests, { short: 5, long: 9 })).toEqual(
      ['long', 'short', 'a', 'b', 'c'].map((name) => ({ path: fileOf(name) })),
    );
  });

  test.each(Object.keys(LONG_FILES))('knows %s, which exists', (name) => {
    expect(existsSync(fileOf(name))).toBe(true);
  });
});
