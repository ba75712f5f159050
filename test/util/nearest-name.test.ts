import { describe, expect, it, test } from '@jest/globals';
import { didYouMean, nearestName } from '../../src/util/nearest-name.js';

const KNOWN = ['amount', 'address', 'expires_in', 'expires_at', 'label', 'on'];

test.each([
  ['a letter too few', 'adress', 'address'],
  ['two letters exchanged', 'amuont', 'amount'],
  ['another case, and without the line', 'expiresAt', 'expires_at'],
  ['a beginning, of the first of several', 'expires', 'expires_in'],
  ['an addition', 'label_text', 'label'],
  ['nothing in common', 'colour', undefined],
  ['no length', '', undefined],
  ['a length that no name has', `amount${'t'.repeat(40)}`, undefined],
])('a name with %s is taken for the nearest one: %j', (_, given, expected) => {
  expect(nearestName(given, KNOWN)).toBe(expected);
});

describe('a suggestion', () => {
  it('names the nearest name as it must be written', () => {
    expect(didYouMean('expiresAt', KNOWN)).toBe(', did you mean expires_at?');
    expect(didYouMean('lable', KNOWN, (name) => `--${name}`)).toBe(', did you mean --label?');
  });

  it('is empty for a known name, and for a name that is like none', () => {
    expect(didYouMean('amount', KNOWN)).toBe('');
    expect(didYouMean('colour', KNOWN)).toBe('');
  });
});
