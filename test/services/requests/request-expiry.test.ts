import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RequestExpiry } from '../../../src/services/requests/request-expiry.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { withFakeTimeouts } from '../../support/fakes/fake-timeouts.js';
import { CREATED, newRequest, StoredRequests } from '../../support/wallets/stored-requests.js';

let wallet: StoredRequests;
let sync: { isSynced: boolean };
let errors: unknown[];
/** Number of times that the clock was read. */
let reads: number;
let expiry: RequestExpiry;

beforeEach(() => {
  wallet = new StoredRequests();
  sync = { isSynced: true };
  errors = [];
  reads = 0;
  const log = { error: (fields: unknown) => void errors.push(fields) };
  const now = (): number => {
    reads += 1;
    return 1000 * wallet.time;
  };
  expiry = new RequestExpiry({ clock: { now }, store: wallet.store, log } as never, { sync });
});

afterEach(() => {
  expiry.close();
  wallet.close();
});

/** Lets time pass for timers and for the clock [s]. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    wallet.time += 1;
    await elapse(1);
  }
}

/** Lets time pass for timers alone [s]. */
async function elapse(seconds: number): Promise<void> {
  jest.advanceTimersByTime(1000 * seconds);
  await turns(3);
}

const expired = (): number => wallet.types().filter((type) => type === 'expired').length;

/** Adds requests that expire ten seconds after the creation, which take several transactions. */
function addMany(count: number): void {
  wallet.add(
    ...Array.from({ length: count }, (_, i) =>
      newRequest(i % 200, {
        ...{ requestId: `request ${i}`, subaddress: { major: i, minor: 1 }, expires: CREATED + 10 },
        token: Uint8Array.from({ length: 16 }, (_, at) => (at < 2 ? (i >> (8 * at)) & 255 : 1)),
      }),
    ),
  );
}

/** Makes the transactions of the expiries fail from now on. */
const failWrites = (): ReturnType<typeof jest.spyOn> =>
  jest.spyOn(wallet.store, 'writeRecoverable').mockImplementation(() => {
    throw new Error('disk full');
  });

describe('an expiry', () => {
  it('is recorded in the second after it', () =>
    withFakeTimeouts(async () => {
      wallet.add(newRequest(1, { expires: CREATED + 10 }));
      expiry.start();
      await pass(10);
      expect(expired()).toBe(0);
      await pass(1);
      expect([expired(), wallet.request(1).state]).toEqual([1, 'expired']);
      await pass(200);
      expect(expired()).toBe(1);
    }));

  it('is recorded if it is set after the start, and before or after the next one', () =>
    withFakeTimeouts(async () => {
      expiry.start();
      for (const [minor, seconds] of [
        [1, 20],
        [2, 10],
        [3, 30],
      ] as const) {
        wallet.add(newRequest(minor, { expires: CREATED + seconds }));
        expiry.onExpiry(CREATED + seconds);
      }
      expiry.onExpiry(undefined);
      await pass(11);
      expect([1, 2, 3].map((minor) => wallet.request(minor).state)).toEqual([
        'waiting',
        'expired',
        'waiting',
      ]);
      await pass(10);
      expect(expired()).toBe(2);
      await pass(10);
      expect(expired()).toBe(3);
    }));

  it('that a step of the clock reaches is recorded within a minute', () =>
    withFakeTimeouts(async () => {
      wallet.add(newRequest(1, { expires: CREATED + 86_400 }));
      expiry.start();
      wallet.time += 86_401;
      await elapse(60);
      expect(expired()).toBe(1);
    }));

  it('waits as long as the clock was set back', () =>
    withFakeTimeouts(async () => {
      wallet.add(newRequest(1, { expires: CREATED + 10 }));
      expiry.start();
      wallet.time -= 600;
      await pass(610);
      expect(expired()).toBe(0);
      await pass(61);
      expect(expired()).toBe(1);
    }));

  it('is not taken back when the clock is set back after it', () =>
    withFakeTimeouts(async () => {
      wallet.add(newRequest(1, { expires: CREATED + 10 }));
      expiry.start();
      await pass(11);
      wallet.time -= 600;
      await pass(700);
      expect([expired(), wallet.request(1).state]).toEqual([1, 'expired']);
    }));

  it('of a thousand requests at once is recorded for each, some in each transaction', () =>
    withFakeTimeouts(async () => {
      const count = 1000;
      addMany(count);
      let commits = 0;
      wallet.store.watchEvents(() => void (commits += 1));
      expiry.start();
      await pass(11);
      while (expired() < count) await turns(1);
      await turns(10);
      // None is left, for which a timer would wait.
      expect(jest.getTimerCount()).toBe(0);
      await pass(120);
      expect([expired(), commits, errors]).toEqual([count, 5, []]);
      expect(new Set(wallet.events().map(({ data }) => data.requestId)).size).toBe(count);
      expect(wallet.store.read((r) => r.requests.nextExpiry())).toBeUndefined();
    }));

  it.each([
    ['that has all blocks, whose events come meanwhile', true],
    ['whose first refresh ends later', false],
  ])('is tried again after a minute if it cannot be written, in a wallet %s', (_, isSynced) =>
    withFakeTimeouts(async () => {
      sync.isSynced = isSynced;
      wallet.add(newRequest(1, { expires: CREATED + 30 }));
      expiry.start();
      const write = failWrites();
      await pass(31);
      expect([expired(), errors.length]).toEqual([0, 1]);
      sync.isSynced = true;
      for (let i = 0; i < 59; i++) {
        expiry.onEvents();
        // Another request expires at the same time.
        expiry.onExpiry(CREATED + 30);
        await pass(1);
      }
      expect([expired(), errors.length]).toEqual([0, 1]);
      write.mockRestore();
      await pass(2);
      expect([expired(), errors.length]).toEqual([1, 1]);
    }),
  );

  it('that cannot be written is reported once, even if another request gets an earlier one meanwhile', () =>
    withFakeTimeouts(async () => {
      addMany(300);
      expiry.start();
      wallet.time += 11;
      jest.advanceTimersByTime(11_000);
      // One transaction of two has ended.
      expect(expired()).toBe(200);
      expiry.onExpiry(CREATED + 5);
      failWrites();
      await elapse(0);
      await turns(10);
      expect([errors.length, jest.getTimerCount()]).toEqual([1, 1]);
    }));

  it('is not recorded after the wallet is closed', () =>
    withFakeTimeouts(async () => {
      wallet.add(newRequest(1, { expires: CREATED + 10 }));
      expiry.start();
      expiry.close();
      expect(jest.getTimerCount()).toBe(0);
      await pass(200);
      expect(expired()).toBe(0);
      expiry.onExpiry(CREATED + 1);
      expect(jest.getTimerCount()).toBe(0);
    }));

  it('is recorded by no further transaction once the wallet is closed', () =>
    withFakeTimeouts(async () => {
      addMany(300);
      expiry.start();
      wallet.time += 11;
      jest.advanceTimersByTime(11_000);
      expiry.close();
      await turns(10);
      expect([expired(), errors, jest.getTimerCount()]).toEqual([200, [], 0]);
    }));

  it('is not reported as a failure if the wallet is closed while it is recorded', () =>
    withFakeTimeouts(async () => {
      wallet.add(newRequest(1, { expires: CREATED + 10 }));
      expiry.start();
      jest.spyOn(wallet.store, 'writeRecoverable').mockImplementation(() => {
        expiry.close();
        throw new Error('closed');
      });
      await pass(11);
      expect([errors, jest.getTimerCount()]).toEqual([[], 0]);
    }));
});

describe('the timer of the expiries', () => {
  it('does not run without any', () =>
    withFakeTimeouts(async () => {
      expiry.start();
      expect(jest.getTimerCount()).toBe(0);
      wallet.add(newRequest(1, { expires: CREATED + 10 }));
      expiry.onExpiry(CREATED + 10);
      await pass(11);
      expect([expired(), jest.getTimerCount()]).toEqual([1, 0]);
    }));

  it('is one, however many requests expire', () =>
    withFakeTimeouts(async () => {
      for (const minor of [1, 2, 3]) wallet.add(newRequest(minor, { expires: CREATED + 40 - 10 * minor }));
      expiry.start();
      for (const minor of [1, 2, 3]) expiry.onExpiry(CREATED + 40 - 10 * minor);
      expiry.onExpiry(CREATED + 5);
      expect(jest.getTimerCount()).toBe(1);
      await pass(11);
      expect([expired(), jest.getTimerCount()]).toEqual([1, 1]);
    }));

  it('looks at the clock in the second after the next expiry, and once a minute until then', () =>
    withFakeTimeouts(async () => {
      wallet.add(newRequest(1, { expires: CREATED + 120 }));
      expiry.start();
      // Until then there is nothing to write.
      const write = failWrites();
      /** Seconds after the start in which the clock was read. */
      const looks: number[] = [];
      for (let i = 1; i <= 200; i++) {
        const before = reads;
        if (i === 121) write.mockRestore();
        await pass(1);
        if (reads > before) looks.push(i);
      }
      expect([looks, expired(), errors]).toEqual([[60, 120, 121], 1, []]);
    }));

  it('is not set anew by the events of a wallet that has all blocks', () =>
    withFakeTimeouts(() => {
      wallet.add(newRequest(1, { expires: CREATED + 10 }));
      expiry.start();
      const timers = jest.spyOn(globalThis, 'setTimeout');
      expiry.onEvents();
      expect(timers).not.toHaveBeenCalled();
      timers.mockRestore();
      return Promise.resolve();
    }));

  it('keeps no process alive, also after a failure', () =>
    withFakeTimeouts(async () => {
      const timers = jest.spyOn(globalThis, 'setTimeout');
      wallet.add(newRequest(1, { expires: CREATED + 10 }));
      expiry.start();
      failWrites();
      await pass(11);
      expect(errors).toHaveLength(1);
      expect(timers.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([
        false,
        false,
      ]);
      timers.mockRestore();
    }));
});

describe('an expiry that passed while the wallet was closed', () => {
  beforeEach(() => {
    wallet.add(newRequest(1, { expires: CREATED - 10 }), newRequest(2, { expires: CREATED + 5 }));
    sync.isSynced = false;
  });

  it('waits for the first refresh, which may find payments in time', () =>
    withFakeTimeouts(async () => {
      expiry.start();
      await pass(3);
      expiry.onEvents();
      await pass(1);
      expect(expired()).toBe(0);
      sync.isSynced = true;
      expiry.onEvents();
      await elapse(0);
      expect(wallet.events().map(({ data }) => data.requestId)).toEqual([wallet.request(1).requestId]);
      await pass(2);
      expect(expired()).toBe(2);
    }));

  it('is awaited by a timer that no event sets anew after the first refresh', () =>
    withFakeTimeouts(() => {
      expiry.start();
      const timers = jest.spyOn(globalThis, 'setTimeout');
      sync.isSynced = true;
      for (let i = 0; i < 3; i++) expiry.onEvents();
      expect(timers).toHaveBeenCalledTimes(1);
      timers.mockRestore();
      return Promise.resolve();
    }));

  it('and one that passes before the first refresh wait for it alike', () =>
    withFakeTimeouts(async () => {
      expiry.start();
      await pass(10);
      expect(expired()).toBe(0);
      sync.isSynced = true;
      expiry.onEvents();
      await elapse(0);
      expect(expired()).toBe(2);
    }));

  it('waits no less if the clock is set back, and no more once it has waited', () =>
    withFakeTimeouts(async () => {
      expiry.start();
      wallet.time -= 20;
      await pass(49);
      expect(expired()).toBe(0);
      // It has looked at the clock after half a minute, and looks again a minute later.
      await pass(41);
      expect(expired()).toBe(2);
      wallet.add(newRequest(3, { expires: CREATED + 25 }));
      wallet.time = CREATED + 20;
      expiry.onExpiry(CREATED + 25);
      await pass(6);
      expect(expired()).toBe(3);
    }));

  it('delays no expiry of a request that is made after the start, if there was none before', () =>
    withFakeTimeouts(async () => {
      wallet.close();
      wallet = new StoredRequests();
      const other = new RequestExpiry(
        { clock: { now: () => 1000 * wallet.time }, store: wallet.store, log: undefined } as never,
        { sync },
      );
      other.start();
      wallet.add(newRequest(1, { expires: CREATED + 5 }));
      other.onExpiry(CREATED + 5);
      await pass(6);
      other.close();
      expect(expired()).toBe(1);
    }));

  it('waits half a minute at most', () =>
    withFakeTimeouts(async () => {
      expiry.start();
      await pass(29);
      expect(expired()).toBe(0);
      await pass(1);
      expect(expired()).toBe(2);
    }));
});
