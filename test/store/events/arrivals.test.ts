import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { PageFindings } from '../../../src/monero/wallet/scan/findings.js';
import { CREATED, newRequest, StoredRequests, type Paid } from '../../support/wallets/stored-requests.js';
import { bytes, output, page, received } from '../fixtures.js';

const MINUTE = 60;
const HOUR = 3600;
/** The request to address 1 expires in an hour. */
const EXPIRES = CREATED + HOUR;

let directory: string;
let wallet: StoredRequests;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'arrivals-'));
  wallet = new StoredRequests(join(directory, 'w'));
  wallet.add(newRequest(1, { expires: EXPIRES, confirmations: 1 }));
});

afterEach(() => {
  wallet.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Runs a step. @returns the types of the events of requests that it caused. */
function after(step: () => void): string[] {
  const before = wallet.last;
  step();
  return wallet.types(before);
}

const state = (minor = 1): string => wallet.request(minor).state;

/** Sets the time, and records the expiries that have passed. */
function passTo(time: number): void {
  wallet.time = time;
  wallet.expire();
}

/** Returns a block with payments and its date. */
const dated = (payments: readonly Paid[], at: number, date: number): PageFindings => {
  const block = wallet.block(payments, at);
  return {
    ...block,
    received: block.received.map((tx) => ({ ...tx, timestamp: date })),
    lastBlockTime: date,
  };
};

/** Reads a block with payments and a date. @param at height; blocks from there on are replaced. */
const mineDated = (payments: readonly Paid[], date: number, at = wallet.tip + 1): void => {
  if (wallet.isFollowing) wallet.store.noteCompleteRead(wallet.time);
  wallet.store.addPage(dated(payments, at, date));
};

/** Reads the mempool without what a block took. */
const readPoolTwice = (): void => {
  wallet.readPool();
  wallet.readPool();
};

/** Opens the store again, and follows the chain no longer. */
const restart = (): void => {
  wallet.isFollowing = false;
  wallet.reopen();
};

describe('a payment in time', () => {
  it('that was read in a block alone stays in time when the block is replaced after the expiry', () => {
    passTo(EXPIRES - MINUTE);
    expect(after(() => mineDated([[1, 1, 100n]], EXPIRES - MINUTE))).toEqual(['paid']);
    passTo(EXPIRES + HOUR);
    expect(after(() => mineDated([], EXPIRES + HOUR, 10))).toEqual(['reversed', 'expired']);
    expect(after(() => mineDated([[1, 1, 100n]], EXPIRES + HOUR))).toEqual(['paid']);
    expect(state()).toBe('paid');
  });

  it('stays in time when its replaced block returns it to the mempool', () => {
    passTo(EXPIRES - MINUTE);
    mineDated([[1, 1, 100n]], EXPIRES - MINUTE);
    passTo(EXPIRES + HOUR);
    mineDated([], EXPIRES + HOUR, 10);
    expect(after(() => wallet.see(1, 1, 100n))).toEqual(['seen']);
    expect(after(() => mineDated([[1, 1, 100n]], EXPIRES + 2 * HOUR))).toEqual(['paid']);
  });

  it('is in time though its block is dated 90 minutes ahead', () => {
    passTo(EXPIRES - 1800);
    expect(after(() => mineDated([[1, 1, 100n]], EXPIRES + HOUR))).toEqual(['paid']);
    passTo(EXPIRES + HOUR);
    expect([state(), wallet.types()]).toEqual(['paid', ['paid']]);
  });

  it.each([false, true])('stays in time over a rescan (hard: %p) and a restart', (hard) => {
    passTo(EXPIRES - MINUTE);
    mineDated([[1, 1, 100n]], EXPIRES - MINUTE);
    passTo(EXPIRES + HOUR);
    const cursor = wallet.last;
    wallet.store.write((w) => {
      w.clearNext({ hard, rows: Number.MAX_SAFE_INTEGER });
    });
    restart();
    wallet.store.addPage(page(0, 10));
    // Its block was replaced meanwhile by one that is dated after the expiry.
    wallet.store.addPage(dated([[1, 1, 100n]], 10, EXPIRES + MINUTE));
    expect([state(), wallet.types(cursor)]).toEqual(['paid', []]);
    mineDated([], EXPIRES + HOUR, 10);
    mineDated([[1, 1, 100n]], EXPIRES + HOUR);
    expect(state()).toBe('paid');
  });
});

describe('a payment that is first seen after the expiry', () => {
  beforeEach(() => passTo(EXPIRES + MINUTE));

  it('in a block that is dated before it is late, and stays late', () => {
    expect(after(() => mineDated([[1, 1, 100n]], EXPIRES - MINUTE))).toEqual(['late']);
    expect(after(() => mineDated([], EXPIRES + MINUTE, 10))).toEqual(['reversed']);
    expect(after(() => mineDated([[1, 1, 100n]], EXPIRES - MINUTE))).toEqual(['late']);
    expect(state()).toBe('expired');
  });

  it('in the mempool stays late in a block that is dated before it', () => {
    expect(after(() => wallet.see(1, 1, 100n))).toEqual(['late']);
    expect(after(() => mineDated([[1, 1, 100n]], EXPIRES - MINUTE))).toEqual([]);
    wallet.clear();
    wallet.store.addPage(page(0, 10));
    wallet.store.addPage(dated([[1, 1, 100n]], 10, EXPIRES - MINUTE));
    expect([state(), wallet.request(1).reported.late]).toEqual(['expired', 100n]);
  });

  it('counts once the request is extended beyond its first sight', () => {
    mineDated([[1, 1, 100n]], EXPIRES - MINUTE);
    const extend = (expires: number): void =>
      wallet.store.write((w) => {
        const found = wallet.request(1);
        w.requests.extend(found.sequence, expires);
        w.events.reviseRequest({ ...found, expires, ended: false });
      });
    expect(after(() => extend(EXPIRES + MINUTE - 1))).toEqual([]);
    expect(after(() => extend(EXPIRES + MINUTE))).toEqual(['paid']);
  });

  it('is late in a wallet that is opened again, if it was not there before', () => {
    wallet.store.noteCompleteRead(wallet.time);
    restart();
    passTo(EXPIRES + HOUR);
    expect(after(() => mineDated([[1, 1, 100n]], EXPIRES - MINUTE))).toEqual(['late']);
  });
});

describe('a payment that arrives while the wallet is closed', () => {
  beforeEach(() => {
    passTo(EXPIRES - HOUR / 2);
    wallet.store.noteCompleteRead(wallet.time);
    restart();
    passTo(EXPIRES + HOUR);
  });

  it('is in time or late by the date of its block', () => {
    expect(after(() => mineDated([[1, 1, 60n]], EXPIRES))).toEqual(['partial']);
    expect(after(() => mineDated([[2, 1, 40n]], EXPIRES + 1))).toEqual(['late']);
  });

  it('and is in the mempool afterwards counts as seen until its block decides', () => {
    expect(after(() => wallet.see(1, 1, 100n))).toEqual(['seen']);
    expect(after(() => mineDated([[1, 1, 100n]], EXPIRES - 1))).toEqual(['paid']);
    expect(after(() => wallet.see(2, 1, 9n))).toEqual([]);
    expect(after(() => mineDated([[2, 1, 9n]], EXPIRES + 1))).toEqual(['reversed', 'late']);
    expect(state()).toBe('paid');
  });

  it('is paid by no open arrival, though it needs no confirmation', () => {
    wallet.add(newRequest(2, { expires: EXPIRES, confirmations: 0 }));
    wallet.expire();
    expect(after(() => wallet.see(1, 2, 100n))).toEqual(['seen']);
    expect(after(() => mineDated([[1, 2, 100n]], EXPIRES + 1))).toEqual(['reversed', 'late']);
  });
});

describe('a clock that is put an hour ahead', () => {
  beforeEach(() => {
    // The newest block is as new as ever, then the clock is changed.
    wallet.time = EXPIRES - HOUR / 2;
    mineDated([], wallet.time);
    wallet.store.noteCompleteRead(wallet.time);
    passTo(EXPIRES + HOUR / 2);
    wallet.store.noteCompleteRead(wallet.time);
  });

  it('reports the expiry, and counts payments before the real one', () => {
    expect(state()).toBe('expired');
    expect(after(() => wallet.see(1, 1, 60n))).toEqual(['partial']);
    wallet.time += 10 * MINUTE;
    wallet.store.noteCompleteRead(wallet.time);
    expect(after(() => mineDated([[1, 1, 60n]], wallet.time - HOUR))).toEqual([]);
    expect(after(() => mineDated([[2, 1, 40n]], wallet.time - HOUR))).toEqual(['paid']);
  });

  it('makes payments after the real expiry late', () => {
    wallet.time += HOUR;
    wallet.store.noteCompleteRead(wallet.time);
    expect(after(() => mineDated([[1, 1, 60n]], wallet.time - HOUR))).toEqual(['late']);
  });
});

describe('a cancelled request', () => {
  const cancel = (): void =>
    wallet.store.write((w) => {
      const found = wallet.request(1);
      w.requests.cancel(found.sequence, wallet.time);
      w.events.reviseRequest({ ...found, cancelled: wallet.time });
    });

  it.each<[string, () => void]>([
    ['that a block of before it has', () => mineDated([[2, 1, 100n]], CREATED)],
    ['that arrives in the second of the cancellation', () => mineDated([[2, 1, 100n]], wallet.time)],
    ['in the mempool in that second', () => wallet.see(2, 1, 100n)],
    [
      'that a block of before it has, which a closed wallet did not read',
      () => {
        restart();
        wallet.time += HOUR;
        mineDated([[2, 1, 100n]], CREATED);
      },
    ],
    [
      'after the clock was set back',
      () => {
        wallet.time -= HOUR;
        mineDated([[2, 1, 100n]], CREATED);
      },
    ],
  ])('stays cancelled, and reports a payment as late %s', (_, step) => {
    wallet.time += MINUTE;
    cancel();
    expect(after(step)).toEqual(['late']);
    expect(wallet.request(1)).toMatchObject({ state: 'cancelled', reported: { late: 100n, received: 0n } });
    wallet.isFollowing = true;
    mineDated([[2, 1, 100n]], CREATED);
    wallet.grow(20);
    readPoolTwice();
    expect(state()).toBe('cancelled');
  });

  it('stays cancelled when a payment of before it is no longer locked, or comes back', () => {
    mineDated([[1, 1, 100n, { unlockTime: 30n }]], wallet.time);
    wallet.see(2, 1, 60n);
    wallet.drop(2);
    wallet.mine();
    readPoolTwice();
    expect(state()).toBe('waiting');
    wallet.time += MINUTE;
    cancel();
    wallet.grow(40);
    wallet.see(2, 1, 60n);
    wallet.mine([[2, 1, 60n]]);
    expect(wallet.request(1)).toMatchObject({ state: 'cancelled', reported: { late: 0n, received: 160n } });
    expect(wallet.types().filter((type) => type === 'seen' || type === 'paid')).toEqual([]);
  });

  it('leaves the payments of a transaction in time that pays another request too', () => {
    wallet.add(newRequest(2, { confirmations: 1 }));
    wallet.time += MINUTE;
    cancel();
    expect(
      after(() =>
        mineDated(
          [
            [1, 1, 100n],
            [1, 2, 100n],
          ],
          CREATED,
        ),
      ),
    ).toEqual(['late', 'paid']);
  });
});

describe('the first sight in the mempool', () => {
  /** Time at which a transaction of the mempool was first seen. */
  const sightOf = (tx: number): number | undefined =>
    wallet.store.read((r) => r.pool.list()).find(({ txHash }) => txHash[0] === tx)?.timestamp;

  it.each<[string, () => void]>([
    ['a restart', () => wallet.reopen()],
    ['a rescan', () => wallet.clear()],
    [
      'its block, which is replaced',
      () => {
        mineDated([[1, 7, 5n]], wallet.time);
        mineDated([], wallet.time, wallet.tip);
      },
    ],
    [
      'a time without it',
      () => {
        wallet.drop(1);
        wallet.grow(3);
        readPoolTwice();
      },
    ],
  ])('is kept over %s, also of a payment to no request', (_, step) => {
    const seen = wallet.time;
    wallet.see(1, 7, 5n);
    step();
    wallet.time += 31 * 24 * HOUR;
    wallet.see(1, 7, 5n, { timestamp: wallet.time });
    expect(sightOf(1)).toBe(seen);
    const last = wallet.store.read((r) => r.events.latest(1, ['payment.seen'])).at(-1);
    expect(last).toMatchObject({ type: 'payment.seen', data: { timestamp: seen } });
  });
});

describe('a request whose address was paid before it', () => {
  it('counts a payment from its first sight in the mempool, or from the date of its block', () => {
    wallet.see(1, 2, 30n);
    mineDated([[2, 2, 30n]], CREATED - 60);
    wallet.time += HOUR;
    wallet.add(newRequest(2, { created: wallet.time, expires: wallet.time + 1 }));
    const arrivals = wallet.store
      .read((r) => r.requests.paymentsTo([{ major: 0, minor: 2 }]))({ major: 0, minor: 2 })
      .map(({ txHash, arrival }) => [txHash[0], arrival]);
    expect(arrivals).toEqual([
      [2, CREATED - 60],
      [1, CREATED],
    ]);
    // Its arrival is recorded now.
    wallet.time += HOUR;
    mineDated([], wallet.time, 10);
    mineDated([[2, 2, 30n]], wallet.time);
    expect(wallet.request(2).reported).toMatchObject({ received: 60n, late: 0n });
  });
});

describe('a payment in a block that was read before', () => {
  it('to an address that was not watched then arrives at the date of the block', () => {
    passTo(EXPIRES + HOUR);
    wallet.grow(5);
    const found = {
      received: [{ ...received(1, 12), timestamp: EXPIRES }],
      outputs: [output(1, 12, 100n, { subaddress: { major: 0, minor: 1 } })],
    };
    wallet.clear();
    expect(after(() => wallet.store.addPage(page(0, 15, found)))).toEqual(['paid']);
  });

  it('and is scanned alone arrives at the date of the block', () => {
    passTo(EXPIRES + HOUR);
    wallet.grow(5);
    wallet.store.noteCompleteRead(wallet.time);
    const found = {
      ...{
        received: [{ ...received(1, 12), timestamp: EXPIRES }],
        spends: [],
        outgoing: [],
        subaddresses: [],
      },
      outputs: [output(1, 12, 100n, { subaddress: { major: 0, minor: 1 } })],
    };
    expect(after(() => wallet.store.write((w) => w.addFound(found)))).toEqual(['paid']);
  });
});

it('records a payment with its first sight when its transaction is written, and nothing when that fails', () => {
  const block = dated([[1, 1, 100n]], 10, EXPIRES - MINUTE);
  expect(() =>
    wallet.store.write((w) => {
      w.applyPage(block);
      throw new Error('full');
    }),
  ).toThrow('full');
  passTo(EXPIRES + MINUTE);
  wallet.store.noteCompleteRead(wallet.time);
  wallet.store.addPage(block);
  expect(wallet.request(1).reported).toMatchObject({ received: 0n, late: 100n });
  expect(wallet.store.write((w) => w.arrivals.firstSight(bytes<Hash>(1)))).toBe(EXPIRES + MINUTE);
});
