import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matchesGlob } from '../../../src/rpc/access/credential.js';

/** The same pattern as a regular expression. */
const regExpOf = (pattern: string): RegExp =>
  new RegExp(`^${[...pattern].map((one) => (one === '*' ? '.*' : one === '?' ? '.' : one)).join('')}$`);

const textOf = (...letters: string[]): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...letters), maxLength: 12 });

describe('a pattern', () => {
  it('matches the names that the same regular expression matches', () => {
    fc.assert(
      fc.property(textOf('a', 'b', '*', '?'), textOf('a', 'b', 'A'), (pattern, name) => {
        expect(matchesGlob(pattern, name)).toBe(regExpOf(pattern).test(name));
      }),
      { numRuns: 3000 },
    );
  });

  it('matches names that were made from it', () => {
    fc.assert(
      fc.property(
        fc.array(textOf('a', 'b'), { minLength: 2, maxLength: 5 }),
        textOf('a', 'b'),
        (parts, filling) => {
          expect(matchesGlob(parts.join('*'), parts.join(filling))).toBe(true);
        },
      ),
    );
  });

  it('with many stars does not take long for a name that it nearly matches', () => {
    expect(matchesGlob(`${'*a'.repeat(60)}b`, 'a'.repeat(200))).toBe(false);
    expect(matchesGlob(`${'*a'.repeat(60)}b`, `${'a'.repeat(199)}b`)).toBe(true);
  });
});
