import { spawnSync } from 'node:child_process';
import { expect, test, describe } from '@jest/globals';
import { COLLECTION_FLAG, isUpTo, SERVER_FLAGS, IdleCollector } from '../../src/util/v8-heap.js';

const MODULE = new URL('../../src/util/v8-heap.js', import.meta.url).href;

/** Versions of Node 20, 21, 22, 24 and 26. */
test.each([
  ['11.3.244.8-node.38', '11.3', true],
  ['11.8.172.17-node.20', '11.3', false],
  ['11.8.172.17-node.20', '11.8', true],
  ['12.4.254.21-node.57', '11.8', false],
  ['13.6.233.17-node.53', '14.6', true],
  ['14.6.202.34-node.34', '14.6', true],
  ['14.10.1.1-node.1', '14.6', false],
  ['15.0.1.1-node.1', '14.6', false],
])('V8 %s is up to %s: %s', (version, last, expected) => {
  expect(isUpTo(version, last)).toBe(expected);
});

test.each([
  ['sets flags that the running version is known to have', "'14.6.202'", 'function'],
  ['sets no flags of a version that is newer than the checked ones', "'14.7.1'", 'undefined'],
])('%s', (_, version, expected) => {
  const script = `
    import { COLLECTION_FLAG, setV8Flags } from ${JSON.stringify(MODULE)};
    import { runInNewContext } from 'node:vm';
    setV8Flags([COLLECTION_FLAG], ${version});
    console.log(runInNewContext('typeof gc'));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect([stdout, stderr]).toEqual([`${expected}\n`, '']);
});

test('the running V8 has all flags', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...SERVER_FLAGS, COLLECTION_FLAG, '-p', 'typeof gc'],
    { encoding: 'utf8' },
  );
  expect([stdout, stderr]).toEqual(['function\n', '']);
});

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
