import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DaemonInfo, ScheduledFork } from '../../src/daemon/daemon.js';
import { DaemonError } from '../../src/daemon/errors.js';
import { DaemonHealth } from '../../src/watch/daemon-health.js';

const INFO = { height: 7 } as DaemonInfo;

let now: number;
let asked: number;
let answer: () => Promise<DaemonInfo>;
let daemon: { daemonAddress: string | undefined; daemonInfo(): Promise<DaemonInfo> };
let health: DaemonHealth;

beforeEach(() => {
  now = 1_000_000;
  asked = 0;
  answer = () => Promise.resolve(INFO);
  daemon = {
    daemonAddress: 'a:1',
    daemonInfo: () => {
      asked += 1;
      return answer();
    },
  };
  health = new DaemonHealth(daemon, () => now);
});

const fails = (): Promise<DaemonInfo> => Promise.reject(new DaemonError('unreachable', 'no connection'));

describe('the state of the daemon', () => {
  it('is asked for by a check, and again only after five seconds', async () => {
    expect(health.hasAnswered).toBe(false);
    await Promise.all([health.check(), health.check()]);
    expect([asked, health.hasAnswered, health.outage, health.info]).toEqual([1, true, 0, INFO]);
    now += 4_999;
    await health.check();
    expect(asked).toBe(1);
    now += 1;
    await health.check();
    expect(asked).toBe(2);
  });

  it('has an outage that lasts from the start of the first failed call to the next answer', async () => {
    await health.check();
    now += 10_000;
    health.note({ call: '/get_blocks.bin', seconds: 2, failure: 'timeout' });
    now += 20_000;
    answer = fails;
    await health.check();
    expect(health.outage).toBe(22);
    health.note({ call: '/get_blocks.bin', seconds: 1 });
    expect(health.outage).toBe(0);
  });

  it('has no outage when the daemon refuses a call or is syncing', () => {
    for (const failure of ['busy', 'rejected', 'too_large'] as const) {
      health.note({ call: 'x', seconds: 1, failure: 'unreachable' });
      health.note({ call: 'x', seconds: 1, failure });
      expect([failure, health.outage]).toEqual([failure, 0]);
    }
  });

  it.each([429, 502, 503, 504, 520, 530])(
    'has an outage while a gateway answers with the status %d',
    async (status) => {
      health.note({ call: 'x', seconds: 3, failure: 'rejected', status });
      answer = () => Promise.reject(new DaemonError('rejected', 'bad gateway', { status }));
      await health.check();
      expect([health.hasAnswered, health.outage]).toEqual([false, 3]);
    },
  );

  it.each([404, 500, 501, 505, 519, 531])('has no outage when it answers with the status %d', (status) => {
    health.note({ call: 'x', seconds: 3, failure: 'rejected', status });
    expect([health.hasAnswered, health.outage]).toEqual([true, 0]);
  });

  it('is known although the daemon is silent', async () => {
    answer = () => new Promise(() => undefined);
    await health.check();
    expect(health.hasAnswered).toBe(false);
  });

  it('is forgotten when the daemon is replaced, and a late answer of the former one is ignored', async () => {
    let settle: (info: DaemonInfo) => void = () => undefined;
    answer = () => new Promise((resolve) => (settle = resolve));
    const first = health.check();
    daemon.daemonAddress = 'b:1';
    answer = fails;
    await health.check();
    settle(INFO);
    await first;
    expect([asked, health.hasAnswered, health.info]).toEqual([2, false, undefined]);
  });

  it('is not asked for by an offline server', async () => {
    daemon.daemonAddress = undefined;
    await health.check();
    expect([asked, health.isOffline]).toEqual([0, true]);
  });
});

describe('the forks of the daemon', () => {
  let forks: () => Promise<readonly ScheduledFork[]>;
  let blocks: number;
  const watched = (newestFork?: number): DaemonHealth =>
    new DaemonHealth(
      {
        daemonAddress: 'a:1',
        ...(newestFork === undefined ? {} : { newestFork }),
        daemonInfo: () => Promise.resolve({ height: blocks } as DaemonInfo),
        daemonForks: () => forks(),
      },
      () => now,
    );
  /** Returns the state once the daemon was asked. */
  const asked = async (newestFork?: number): Promise<DaemonHealth> => {
    const found = watched(newestFork);
    await found.check();
    await Promise.resolve(forks().catch(() => undefined));
    return found;
  };

  beforeEach(() => {
    blocks = 1000;
  });

  it('are those above version 16, by version, with the blocks that are left', async () => {
    forks = () =>
      Promise.resolve([
        { version: 18, height: 1720 },
        { version: 16, height: 1 },
        { version: 17, height: 999 },
        { version: 17, height: 5000 },
      ]);
    expect((await asked()).newForks).toEqual([
      { version: 17, height: 999, blocks: -1 },
      { version: 18, height: 1720, blocks: 720 },
    ]);
    expect((await asked()).unknownFork).toMatchObject({ version: 18 });
    expect((await asked(18)).unknownFork).toBeUndefined();
  });

  it('are none of a daemon that names none, or that fails, and few of one that names many', async () => {
    forks = () => Promise.resolve([]);
    expect((await asked()).newForks).toEqual([]);
    forks = () => Promise.reject(new DaemonError('malformed', 'no number'));
    expect((await asked()).newForks).toEqual([]);
    forks = () =>
      Promise.resolve(Array.from({ length: 64 }, (_, i) => ({ version: 255 - i, height: 2 ** 52 + i })));
    expect((await asked()).newForks.map(({ version }) => version)).toEqual([
      192, 193, 194, 195, 196, 197, 198, 199,
    ]);
  });
});
