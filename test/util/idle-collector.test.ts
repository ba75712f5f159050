import { describe, expect, test } from '@jest/globals';
import { IdleCollector } from '../../src/util/idle-collector.js';

describe('garbage is collected', () => {
  test.each<[string, number[], number[]]>([
    ['never while there is work', [0.3, 1, 0.06, 0.9], []],
    ['never without work before', [0, 0.01, 0.05, 0], []],
    ['after a second of work in small parts', [0.04, 0.04, 0.04, 0.04, 0.045, 0.04, 0], [4]],
    ['once after each spell of work', [0.5, 0.6, 0.01, 0, 0, 0.2, 0.04, 0], [2, 6]],
  ])('%s', (_, shares, expected) => {
    const collected: number[] = [];
    let at = 0;
    const collector = new IdleCollector(
      () => shares[at] ?? 0,
      () => collected.push(at),
      5,
    );
    for (; at < shares.length; at++) collector.check();
    expect(collected).toEqual(expected);
  });
});
