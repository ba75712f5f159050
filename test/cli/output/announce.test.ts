import { describe, expect, it, jest } from '@jest/globals';
import { announceEngine } from '../../../src/cli/output/announce.js';

describe('the log of a start', () => {
  it.each([
    ['names a V8 that is newer than the checked versions, once at level debug', '14.7.1.1-node.1', 1],
    ['says nothing of a V8 that was checked', '14.6.202.34-node.34', 0],
  ])('%s', (_, version, lines) => {
    const debug = jest.fn();
    announceEngine({ debug }, version);
    expect(debug.mock.calls).toEqual(
      Array.from({ length: lines }, () => [expect.stringContaining(`V8 ${version} is newer`)]),
    );
  });
});
