import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import { COVERED, NOT_COVERED } from '../support/differential/differential-coverage.js';

const vectors = new URL('../../../test/vectors/rpc/methods.json', import.meta.url);
const { methods } = JSON.parse(readFileSync(vectors, 'utf8')) as {
  methods: readonly { readonly name: string; readonly in: readonly string[] }[];
};
const ofRelease = methods.filter(({ in: where }) => where.includes('0.18')).map(({ name }) => name);
const covered = Object.values(COVERED).flat();

describe('the differential tests', () => {
  test.each(ofRelease)('call %s on both servers, or give a reason why not', (name) => {
    expect([covered.includes(name), name in NOT_COVERED]).toContain(true);
    expect(covered.includes(name) && name in NOT_COVERED).toBe(false);
  });

  it('call each method in one test only, and no method unknown to the release', () => {
    expect(covered.filter((name, i) => covered.indexOf(name) !== i)).toEqual([]);
    expect([...covered, ...Object.keys(NOT_COVERED)].filter((name) => !ofRelease.includes(name))).toEqual([]);
  });
});
