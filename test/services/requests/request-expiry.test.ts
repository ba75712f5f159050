import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RequestExpiry } from '../../../src/services/requests/request-expiry.js';
import { turns } from '../../support/event-loop-turns.js';
import { withFakeTimeouts } from '../../support/fake-timeouts.js';
import { CREATED, newRequest, StoredRequests } from '../../support/stored-requests.js';

let wallet: StoredRequests;
let sync: { isSynced: boolean };
let errors: unknown[];
let expiry: RequestExpiry;

beforeEach(() => {
  wallet = new StoredRequests();
  sync = { isSynced: true };
  errors = [];
  const log = { error: (fields: unknown) => void errors.push(fields) };
  expiry = new RequestExpiry(
    { clock: { now: () => 1000 * wallet.time }, store: wallet.store, log } as never,
    { sync },
  );
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
      wallet.add(
        ...Array.from({ length: count }, (_, i) =>
          newRequest(i % 200, {
            ...{ requestId: `request ${i}`, subaddress: { major: i, minor: 1 }, expires: CREATED + 10 },
            token: Uint8Array.from({ length: 16 }, (_, at) => (at < 2 ? (i >> (8 * at)) & 255 : 1)),
          }),
        ),
      );
      let commits = 0;
      wallet.store.watchEvents(() => void (commits += 1));
      expiry.start();
      await pass(11);
      while (expired() < count) await turns(1);
      await pass(120);
      expect([expired(), commits, errors]).toEqual([count, 5, []]);
      expect(new Set(wallet.events().map(({ data }) => data.requestId)).size).toBe(count);
      expect(wallet.store.read((r) => r.requests.nextExpiry())).toBeUndefined();
    }));

  it('is tried again after a minute if it cannot be written', () =>
    withFakeTimeouts(async () => {
      wallet.add(newRequest(1, { expires: CREATED + 10 }));
      expiry.start();
      const write = jest.spyOn(wallet.store, 'writeRecoverable').mockImplementationOnce(() => {
        throw new Error('disk full');
      });
      await pass(11);
      expect([expired(), errors.length]).toEqual([0, 1]);
      await pass(59);
      expect(expired()).toBe(0);
      await pass(2);
      expect([expired(), errors.length]).toEqual([1, 1]);
      write.mockRestore();
    }));

  it('is not recorded after the wallet is closed', () =>
    withFakeTimeouts(async () => {
      wallet.add(newRequest(1, { expires: CREATED + 10 }));
      expiry.start();
      expiry.close();
      await pass(200);
      expect([expired(), jest.getTimerCount()]).toEqual([0, 0]);
      expiry.onExpiry(CREATED + 1);
      expect(jest.getTimerCount()).toBe(0);
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

  it('waits half a minute at most', () =>
    withFakeTimeouts(async () => {
      expiry.start();
      await pass(29);
      expect(expired()).toBe(0);
      await pass(1);
      expect(expired()).toBe(2);
    }));
});
