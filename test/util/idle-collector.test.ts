import { describe, expect, it, test } from '@jest/globals';
import { IdleCollector } from '../../src/util/idle-collector.js';

/** @returns the checks in which something happened. */
function run(shares: readonly number[]): { readonly collected: number[]; readonly after: number[] } {
  const collected: number[] = [];
  const after: number[] = [];
  let at = 0;
  const collector = new IdleCollector(() => shares[at] ?? 0, {
    collect: () => collected.push(at),
    after: () => after.push(at),
  });
  for (; at < shares.length; at++) collector.check();
  return { collected, after };
}

describe('garbage is collected', () => {
  test.each<[string, number[], number[]]>([
    ['never while there is work', [0.3, 1, 0.06, 0.9], []],
    ['never where there was no work', [0, 0.01, 0.05, 0], []],
    ['once after each spell of work', [0.5, 0.6, 0.01, 0, 0, 0.2, 0.04, 0], [2, 6]],
  ])('%s', (_, shares, expected) => {
    expect(run(shares).collected).toEqual(expected);
  });
});

describe('what comes after a collection', () => {
  test.each<[string, number[], number[]]>([
    ['never comes without one', [0, 0, 0.5, 0.5, 0], []],
    ['comes while there is no work', [0.5, 0, 0, 0.01, 0.5, 0, 0], [2, 3, 6]],
  ])('%s', (_, shares, expected) => {
    expect(run(shares).after).toEqual(expected);
  });

  it('comes to an end', () => {
    const { after } = run([1, ...new Array<number>(100).fill(0)]);
    expect(after.length).toBeGreaterThan(12);
    expect(after.length).toBeLessThan(50);
    expect(after.at(-1)).toBe(1 + after.length);
  });
});
