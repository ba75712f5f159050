import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DaemonInfo } from '../../src/daemon/daemon.js';
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
