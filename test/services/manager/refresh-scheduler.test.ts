import { afterEach, beforeEach, describe, expect, it, jest, test } from '@jest/globals';
import { pino } from 'pino';
import type { DaemonCallReport } from '../../../src/daemon/call-report.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { RefreshScheduler, type ScheduledWallet } from '../../../src/services/manager/refresh-scheduler.js';

/** A wallet whose refreshes are recorded by their second, and end as the test says. */
class TestWallet {
  readonly refreshes: number[] = [];
  readonly asOf: (number | undefined)[] = [];
  address: string | undefined = '127.0.0.1:18081';
  refreshing: () => Promise<void> = () => Promise.resolve();
  readonly scheduled: ScheduledWallet;

  constructor(name: string) {
    const address = (): string | undefined => this.address;
    this.scheduled = {
      name,
      context: {
        daemon: {
          get address() {
            return address();
          },
        },
      },
      sync: {
        refresh: async ({ asOf }: { readonly asOf?: number }) => {
          this.refreshes.push(Math.round((Date.now() - start) / 1000));
          this.asOf.push(asOf);
          await this.refreshing();
        },
      },
    } as unknown as ScheduledWallet;
  }
}

let start: number;
let lines: { level: number; name?: string }[];
let reports: (DaemonCallReport & { readonly daemon: string })[];
let scheduler: RefreshScheduler;
let a: TestWallet;
let b: TestWallet;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
  start = Date.now();
  lines = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as (typeof lines)[number]);
  reports = [];
  scheduler = new RefreshScheduler(pino({ base: null }, { write }), (report, daemon) =>
    reports.push({ ...report, daemon }),
  );
  a = new TestWallet('a');
  b = new TestWallet('b');
});

afterEach(() => {
  scheduler.stop();
  jest.useRealTimers();
});

const pass = async (seconds: number): Promise<void> => {
  for (let i = 0; i < seconds; i++) await jest.advanceTimersByTimeAsync(1000);
};

/** Waits for a time [ms] that {@link pass} lets pass. */
const later = (ms: number): Promise<void> =>
  // Timer: of the virtual clock.
  new Promise((resolve) => setTimeout(resolve, ms));

const unreachable = (): Promise<never> => Promise.reject(new DaemonError('unreachable', 'no connection'));

describe('a scheduled wallet', () => {
  it('is refreshed at once, then at every multiple of its period', async () => {
    await pass(5);
    scheduler.add(a.scheduled, 20);
    await pass(60);
    expect(a.refreshes).toEqual([5, 20, 40, 60]);
  });

  it('is refreshed together with others of the same period, by one state of the daemon', async () => {
    scheduler.add(a.scheduled, 20);
    await pass(7);
    scheduler.add(b.scheduled, 20);
    await pass(34);
    expect([a.refreshes, b.refreshes]).toEqual([
      [0, 20, 40],
      [7, 20, 40],
    ]);
    expect(a.asOf.slice(1)).toEqual(b.asOf.slice(1));
  });

  it('accepts the same answers of the daemon as many others, although the first ones are done before the last begins', async () => {
    const wallets = Array.from({ length: 50 }, (_, i) => new TestWallet(`w${i}`));
    for (const wallet of wallets) scheduler.add(wallet.scheduled, 20);
    await pass(1);
    let begun = 0;
    for (const wallet of wallets)
      wallet.refreshing = async () => {
        begun += 1;
        // The first ones end while the others have not begun.
        if (begun > 8) await later(100);
      };
    await pass(25);
    expect(begun).toBe(50);
    expect(new Set(wallets.map(({ asOf }) => asOf[1])).size).toBe(1);
  });

  it('without a period is never refreshed, until it gets one', async () => {
    scheduler.add(a.scheduled, undefined);
    await pass(100);
    expect(a.refreshes).toEqual([]);
    scheduler.setPeriod(a.scheduled, 30);
    await pass(50);
    expect(a.refreshes).toEqual([100, 120, 150]);
    scheduler.setPeriod(a.scheduled, undefined);
    await pass(100);
    expect(a.refreshes).toHaveLength(3);
  });

  it('is not refreshed while its last refresh runs: it waits for the next multiple of its period', async () => {
    let end: () => void = () => undefined;
    a.refreshing = () => new Promise((resolve) => (end = resolve));
    scheduler.add(a.scheduled, 20);
    scheduler.add(b.scheduled, 20);
    await pass(50);
    expect([a.refreshes, b.refreshes]).toEqual([[0], [0, 20, 40]]);
    end();
    await pass(11);
    expect(a.refreshes).toEqual([0, 60]);
  });

  it('that was removed is not refreshed again, nor is an error of its last refresh logged', async () => {
    let fail: (error: Error) => void = () => undefined;
    a.refreshing = () => new Promise((_, reject) => (fail = reject));
    scheduler.add(a.scheduled, 20);
    await pass(1);
    scheduler.remove(a.scheduled);
    fail(new Error('closed'));
    await pass(100);
    expect([a.refreshes, lines]).toEqual([[0], []]);
  });

  it('passes its period on to the wallet that takes its place', async () => {
    scheduler.add(a.scheduled, 50);
    await pass(10);
    scheduler.replace(a.scheduled, b.scheduled);
    await pass(91);
    expect([a.refreshes, b.refreshes]).toEqual([[0], [10, 50, 100]]);
  });

  it('of a server that is offline asks for nothing, and is refreshed once there is a daemon', async () => {
    a.address = undefined;
    scheduler.add(a.scheduled, 20);
    await pass(30);
    expect(a.refreshes).toEqual([]);
    a.address = '127.0.0.1:1';
    scheduler.restart();
    await pass(1);
    expect(a.refreshes).toEqual([30]);
  });

  it('gets its turn beside many others', async () => {
    const many = Array.from({ length: 30 }, (_, i) => new TestWallet(`w${i}`));
    for (const { scheduled } of many) scheduler.add(scheduled, 20);
    await pass(21);
    expect(many.map(({ refreshes }) => refreshes)).toEqual(many.map(() => [0, 20]));
  });
});

describe('a daemon that fails', () => {
  it('is tried again after 1, 2, 4 … seconds, at most 60, and is reported once', async () => {
    a.refreshing = unreachable;
    scheduler.add(a.scheduled, 20);
    await pass(200);
    expect(a.refreshes).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
    expect(lines.map(({ level }) => level)).toEqual([40]);
  });

  it('is one outage for all wallets, and its end is reported too', async () => {
    a.refreshing = b.refreshing = unreachable;
    scheduler.add(a.scheduled, 20);
    scheduler.add(b.scheduled, 20);
    await pass(8);
    expect(a.refreshes).toEqual([0, 1, 3, 7]);
    expect(b.refreshes).toEqual(a.refreshes);
    a.refreshing = b.refreshing = () => Promise.resolve();
    await pass(33);
    expect(lines.map(({ level }) => level)).toEqual([40, 30]);
    expect(a.refreshes).toEqual([0, 1, 3, 7, 15, 20, 40]);
  });

  it('is forgotten where another one takes its place', async () => {
    a.refreshing = unreachable;
    scheduler.add(a.scheduled, 20);
    await pass(40);
    const before = a.refreshes.length;
    scheduler.restart();
    await pass(2);
    // At once, and again one second later: the intervals begin anew.
    expect(a.refreshes.slice(before)).toEqual([40, 41]);
  });
});

describe('a wallet that fails', () => {
  it('is tried again at growing intervals, each failure is reported, and others are not disturbed', async () => {
    a.refreshing = () => Promise.reject(new Error('disk full'));
    scheduler.add(a.scheduled, 20);
    scheduler.add(b.scheduled, 20);
    await pass(41);
    expect(a.refreshes).toEqual([0, 1, 3, 7, 15, 31]);
    expect(b.refreshes).toEqual([0, 20, 40]);
    expect(lines).toEqual(a.refreshes.map(() => expect.objectContaining({ level: 50, name: 'a' })));
  });
});

test('a scheduler that was stopped refreshes nothing more', async () => {
  scheduler.add(a.scheduled, 20);
  await pass(1);
  scheduler.stop();
  scheduler.add(b.scheduled, 20);
  scheduler.restart();
  await pass(100);
  expect([a.refreshes, b.refreshes]).toEqual([[0], []]);
});

describe('news of the daemon', () => {
  it('refresh every wallet with a period at once, and leave the others', async () => {
    scheduler.add(a.scheduled, 20);
    scheduler.add(b.scheduled, undefined);
    await pass(3);
    scheduler.refreshNow();
    await pass(1);
    expect([a.refreshes, b.refreshes]).toEqual([[0, 3], []]);
  });

  it('during a refresh are followed by another one: it may have asked the daemon before', async () => {
    let end = (): void => undefined;
    a.refreshing = () => new Promise((resolve) => (end = resolve));
    scheduler.add(a.scheduled, 20);
    await pass(2);
    scheduler.refreshNow();
    await pass(2);
    expect(a.refreshes).toEqual([0]);
    end();
    await pass(1);
    expect(a.refreshes).toHaveLength(2);
  });

  it('wait for the next attempt during an outage', async () => {
    a.refreshing = () => Promise.reject(new DaemonError('unreachable', 'no connection'));
    scheduler.add(a.scheduled, 20);
    await pass(2);
    const before = a.refreshes.length;
    for (let i = 0; i < 5; i++) scheduler.refreshNow();
    await jest.advanceTimersByTimeAsync(10);
    expect(a.refreshes).toHaveLength(before);
  });
});

describe('a created wallet', () => {
  /** Creates a wallet within a time. */
  const create = (wallet: TestWallet, seconds: number): Promise<void> =>
    scheduler.creating(async () => {
      await later(1000 * seconds);
      scheduler.add(wallet.scheduled, 20, { isNew: true });
    });

  it('is refreshed 0.2 s after its creation if no other is created', async () => {
    const created = create(a, 2);
    await jest.advanceTimersByTimeAsync(2190);
    await created;
    expect(a.refreshes).toEqual([]);
    await jest.advanceTimersByTimeAsync(10);
    expect(a.refreshes).toEqual([2]);
    await pass(40);
    expect(a.refreshes).toEqual([2, 20, 40]);
  });

  it('is refreshed together with one whose creation began before its own had ended', async () => {
    const creating = [create(a, 1), create(b, 4)];
    await pass(6);
    await Promise.all(creating);
    expect([a.refreshes, b.refreshes]).toEqual([[4], [4]]);
    expect(a.asOf).toEqual(b.asOf);
  });

  it('is refreshed together with the next one that a client creates one after the other', async () => {
    const c = new TestWallet('c');
    const creating = (async () => {
      for (const wallet of [a, b, c]) {
        await create(wallet, 1);
        await later(100);
      }
    })();
    await pass(5);
    await creating;
    expect([a.asOf.length, b.asOf, c.asOf]).toEqual([1, a.asOf, a.asOf]);
  });

  it('waits 10 s at most, while others are created without end', async () => {
    const others = Array.from({ length: 40 }, (_, i) => new TestWallet(`w${i}`));
    void (async () => {
      for (const wallet of others) await create(wallet, 1);
    })();
    await pass(25);
    const startedAt = (second: number): number =>
      others.filter(({ refreshes: [first] }) => first === second).length;
    expect([startedAt(10), startedAt(20)]).toEqual([10, 10]);
    expect(others.filter(({ refreshes }) => refreshes.length > 0)).toHaveLength(20);
  });

  it('does not delay the refreshes of others', async () => {
    scheduler.add(b.scheduled, 20);
    void create(a, 25);
    await pass(1);
    scheduler.remove(b.scheduled);
    const opened = new TestWallet('opened');
    scheduler.add(opened.scheduled, 20);
    await pass(25);
    expect([b.refreshes, opened.refreshes]).toEqual([[0], [1, 20]]);
  });

  it('is the first of a group unless one is created, or waits', async () => {
    const first: boolean[] = [];
    const note = async (seconds: number): Promise<void> => {
      await scheduler.creating(async (isFirst) => {
        first.push(isFirst);
        await later(1000 * seconds);
      });
    };
    const creating = (async () => {
      await Promise.all([note(1), note(2), note(3)]);
      await later(100);
      await note(1);
      await later(300);
      await note(1);
    })();
    await pass(10);
    await creating;
    expect(first).toEqual([true, false, false, false, true]);
  });

  it('is due as before when its creation fails', async () => {
    scheduler.add(a.scheduled, 20);
    await expect(scheduler.creating(() => Promise.reject(new Error('full')))).rejects.toThrow('full');
    scheduler.add(b.scheduled, 20, { isNew: true });
    await pass(1);
    expect([a.refreshes, b.refreshes]).toEqual([[0], [0]]);
  });
});

describe('the report of a refresh', () => {
  const failing = (kind: 'malformed' | 'unreachable' | 'newer_fork') => () =>
    Promise.reject(new DaemonError(kind, 'no'));

  it('says that answers of the daemon have not allowed it, until one succeeds', async () => {
    a.refreshing = failing('malformed');
    scheduler.add(a.scheduled, 20);
    await pass(4);
    a.refreshing = () => Promise.resolve();
    await pass(20);
    const daemon = '127.0.0.1:18081';
    expect(reports).toMatchObject([
      ...Array.from({ length: 3 }, () => ({ call: 'refresh', failure: 'malformed', daemon })),
      ...Array.from({ length: 2 }, () => ({ call: 'refresh', daemon })),
    ]);
    expect(reports.slice(3).filter(({ failure }) => failure !== undefined)).toEqual([]);
  });

  it('names the daemon that the refresh began with', async () => {
    a.refreshing = () => {
      a.address = '127.0.0.1:28081';
      return failing('malformed')();
    };
    scheduler.add(a.scheduled, 20);
    await pass(0);
    await jest.advanceTimersByTimeAsync(10);
    expect(reports).toMatchObject([{ failure: 'malformed', daemon: '127.0.0.1:18081' }]);
  });

  it.each(['unreachable', 'newer_fork'] as const)(
    'leaves a failure of the kind %s to the call',
    async (kind) => {
      a.refreshing = failing(kind);
      scheduler.add(a.scheduled, 20);
      await pass(4);
      expect([a.refreshes.length > 1, reports]).toEqual([true, []]);
    },
  );
});
