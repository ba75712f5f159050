import { describe, expect, it, test } from '@jest/globals';
import { ForkSchedule } from '../../../src/regtest/rules/fork-schedule.js';

describe('the forks of regtest', () => {
  const today = new ForkSchedule();

  it('are version 1 for the genesis block and the latest version for all others', () => {
    expect([0, 1, 1_000_000].map((height) => today.versionAt(height))).toEqual([1, 16, 16]);
  });

  test.each([
    [16, 16, true],
    [16, 17, true],
    [16, 255, true],
    [16, 256, false],
    [16, 15, false],
    [15, 16, false],
    [17, 17, false],
  ])('let a block of version %i that votes for %i in: %s', (major, minor, allowed) => {
    expect(today.isVersionAllowed(major, minor, 5)).toBe(allowed);
  });

  // As monerod --regtest answers hard_fork_info at a height of 5.
  test.each([
    [16, { enabled: true, votes: 4, earliestHeight: 1 }],
    [1, { enabled: true, votes: 5, earliestHeight: 0 }],
    [17, { enabled: false, votes: 0, earliestHeight: undefined }],
  ])('give the status of version %i that the reference reports', (version, expected) => {
    expect(today.statusOf(version, 5)).toEqual({ window: 5, threshold: 0, voting: 16, ...expected });
  });
});

describe('the next fork', () => {
  const next = new ForkSchedule({ from: 20, only: 25 });

  it('has a version from its first height on, and another one after the grace period', () => {
    expect([0, 1, 19, 20, 24, 25, 1000].map((height) => next.versionAt(height))).toEqual([
      1, 16, 16, 17, 17, 18, 18,
    ]);
  });

  test.each([
    [19, 16, 18, true],
    [19, 17, 18, false],
    [20, 17, 18, true],
    [20, 17, 16, false],
    [20, 16, 18, false],
    [25, 17, 18, false],
    [25, 18, 18, true],
  ])('lets a block at height %i of version %i that votes for %i in: %s', (height, major, minor, allowed) => {
    expect(next.isVersionAllowed(major, minor, height)).toBe(allowed);
  });

  it('has votes of all blocks, and is enabled once the next block follows it', () => {
    expect(next.statusOf(17, 19)).toMatchObject({
      enabled: false,
      votes: 18,
      voting: 18,
      earliestHeight: 20,
    });
    expect(next.statusOf(17, 20)).toMatchObject({ enabled: true });
    expect(next.statusOf(18, 20)).toMatchObject({ enabled: false, earliestHeight: 25 });
    expect(next.statusOf(19, 20)).toMatchObject({ enabled: false, votes: 0, earliestHeight: undefined });
  });
});
