import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ScheduledFork } from '../../src/daemon/daemon.js';
import { DaemonError } from '../../src/daemon/errors.js';
import { ForkReminder } from '../../src/watch/fork-reminder.js';

const DAY_MS = 86_400_000;

let blocks: number;
let forks: () => Promise<readonly ScheduledFork[]>;
let elapsed: number;
let lines: string[];
let reminder: ForkReminder;

const named =
  (height: number): typeof forks =>
  () =>
    Promise.resolve([{ version: 17, height }]);

beforeEach(() => {
  blocks = 1000;
  forks = named(1720);
  elapsed = 5;
  lines = [];
  reminder = new ForkReminder({
    daemon: {
      newestFork: 16,
      daemonInfo: () => Promise.resolve({ height: blocks }),
      daemonForks: () => forks(),
    },
    log: { warn: (_: unknown, text: string) => void lines.push(text) } as never,
    clock: { now: () => 0 },
    elapsed: () => elapsed,
  });
});

describe('the log of a server', () => {
  it('has a notice once the daemon names a fork that is near, and again every day', async () => {
    forks = () => Promise.resolve([]);
    expect([await reminder.look(), lines]).toEqual([true, []]);
    forks = named(1720);
    await reminder.look();
    blocks = 1001;
    elapsed += DAY_MS / 2;
    await reminder.look();
    expect(lines).toEqual([expect.stringMatching(/^hard fork to version 17 at block 1,720, in about 1 d, /)]);
    elapsed += DAY_MS / 2;
    await reminder.look();
    expect(lines).toHaveLength(2);
  });

  it('has one at once when the fork is past, or moves', async () => {
    await reminder.look();
    blocks = 1720;
    await reminder.look();
    forks = named(1800);
    await reminder.look();
    await reminder.look();
    expect(lines.map((line) => /block \d,\d+/.exec(line)?.[0])).toEqual([
      'block 1,720',
      'block 1,720',
      'block 1,800',
    ]);
    expect(lines[1]).toMatch(/^the network is past/);
  });

  it('has none while the daemon does not answer, or sends no numbers', async () => {
    forks = () => Promise.reject(new DaemonError('malformed', 'no number'));
    expect([await reminder.look(), lines]).toEqual([false, []]);
    forks = () => Promise.reject(new TypeError('a bug'));
    await expect(reminder.look()).rejects.toThrow('a bug');
  });
});
