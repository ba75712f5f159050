import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WalletEvent } from '../../../src/model/events.js';
import { CREATED, newRequest, StoredRequests } from '../../support/wallets/stored-requests.js';
import { page } from '../fixtures.js';

/* A chain that is shorter than the wallet knew it: states and events follow from its blocks, and nothing is reported twice. */

let directory: string;
let wallet: StoredRequests;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'shorter-'));
  wallet = new StoredRequests(join(directory, 'w'));
});

afterEach(() => {
  wallet.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Runs a step. @returns the events of payments and requests that it caused: types, with confirmations. */
function after(step: () => void): string[] {
  const cursor = wallet.last;
  step();
  return wallet.store
    .read((r) => r.events.after(cursor, 1000))
    .filter(({ type }) => type.startsWith('payment.') || type.startsWith('request.'))
    .map((event: WalletEvent) =>
      event.type === 'payment.confirmed' ? `${event.type} ${event.data.confirmations}` : event.type,
    );
}

const state = (minor = 1): string => wallet.request(minor).state;

/** Ends a rescan at the tip of the daemon, as a refresh does after it has read the mempool. */
const endRescan = (): void => wallet.store.write((w) => w.events.endRescan({ hasPool: true }));

describe('a rescan of a shorter chain', () => {
  it('reports a payment in its newest block with one confirmation, and its request as paid by later blocks', () => {
    wallet.add(newRequest(1, { confirmations: 5 }));
    wallet.grow(20);
    wallet.clear();
    wallet.store.addPage(page(0, 12));
    expect(after(() => wallet.mine([[1, 1, 100n]]))).toEqual([
      ...['payment.mined', 'payment.confirmed 1', 'request.seen'],
    ]);
    expect(after(endRescan)).toEqual([]);
    expect(state()).toBe('confirming');
    expect(after(() => wallet.grow(3))).toEqual([]);
    expect(after(() => wallet.grow(1))).toEqual(['request.paid']);
    expect(after(() => wallet.grow(5))).toEqual(['payment.confirmed 10', 'payment.unlocked']);
    // As high as before the rescan.
    expect(after(() => wallet.grow(20))).toEqual([]);
  });

  it('takes confirmations from a payment that it finds again, once it has ended', () => {
    wallet.add(newRequest(1, { confirmations: 5 }));
    const block = wallet.block([[1, 1, 100n]], 10);
    wallet.store.addPage(block);
    wallet.grow(20);
    expect(state()).toBe('paid');
    wallet.clear();
    expect(after(() => wallet.store.addPage(page(0, 10)))).toEqual([]);
    expect(after(() => wallet.store.addPage(block))).toEqual([]);
    expect(state()).toBe('paid');
    expect(after(endRescan)).toEqual(['request.reversed']);
    expect(wallet.events().at(-1)?.data).toMatchObject({ was: 'paid', state: 'confirming', received: 100n });
    // Neither the payment nor its stages are reported again.
    expect(after(() => wallet.grow(4))).toEqual(['request.paid']);
    expect(after(() => wallet.grow(30))).toEqual([]);
  });

  it('reverses payments that are in none of its blocks, also above its tip', () => {
    wallet.add(newRequest(1, { confirmations: 1 }), newRequest(2, { confirmations: 1 }));
    wallet.mine([[1, 1, 100n]]);
    wallet.grow(9);
    wallet.mine([[2, 2, 100n]]);
    wallet.clear();
    expect(after(() => wallet.store.addPage(page(0, 15)))).toEqual(['payment.reversed', 'request.reversed']);
    expect([state(1), state(2)]).toEqual(['waiting', 'paid']);
    expect(after(endRescan)).toEqual(['payment.reversed', 'request.reversed']);
    expect(state(2)).toBe('waiting');
  });

  it('locks a payment again that a longer chain had unlocked', () => {
    wallet.add(newRequest(1, { confirmations: 1 }));
    const block = wallet.block([[1, 1, 100n, { unlockTime: 25n }]], 10);
    wallet.store.addPage(block);
    wallet.grow(30);
    expect(state()).toBe('paid');
    wallet.clear();
    wallet.store.addPage(page(0, 10));
    wallet.store.addPage(block);
    expect(after(endRescan)).toEqual(['request.reversed']);
    expect(wallet.request(1)).toMatchObject({ state: 'waiting', reported: { locked: 100n } });
    wallet.grow(13);
    expect(state()).toBe('waiting');
    expect(after(() => wallet.grow(1))).toEqual(['request.paid']);
  });

  it('takes a request back whose payment the mempool has lost meanwhile', () => {
    wallet.add(newRequest(1, { confirmations: 0 }));
    wallet.see(1, 1, 100n);
    wallet.grow(10);
    wallet.clear();
    wallet.store.addPage(page(0, 15));
    expect(after(() => wallet.drop(1))).toEqual([]);
    expect(after(endRescan)).toEqual(['request.reversed']);
    expect(state()).toBe('seen');
  });

  it('is over for good: after a restart too, and for the next rescan', () => {
    wallet.add(newRequest(1, { confirmations: 2 }));
    wallet.grow(10);
    wallet.clear();
    wallet.store.addPage(page(0, 12));
    wallet.reopen();
    endRescan();
    expect(wallet.store.write((w) => w.events.isRescanning)).toBe(false);
    expect(after(endRescan)).toEqual([]);
    const block = wallet.block([[1, 1, 100n]], 12);
    wallet.store.addPage(block);
    wallet.grow(1);
    expect(state()).toBe('paid');
    // The second rescan takes nothing from the payment that the first one has not known.
    wallet.clear();
    wallet.store.addPage(page(0, 12));
    expect(after(() => wallet.store.addPage(block))).toEqual([]);
    expect(state()).toBe('paid');
    expect(after(endRescan)).toEqual(['request.reversed']);
  });

  it('leaves the mempool unread in background sync', () => {
    wallet.add(newRequest(1, { confirmations: 0 }));
    wallet.see(1, 1, 100n);
    wallet.clear();
    wallet.store.addPage(page(0, 5));
    expect(after(() => wallet.store.write((w) => w.events.endRescan({ hasPool: false })))).toEqual([]);
    expect(state()).toBe('paid');
  });
});

describe('a rescan that runs', () => {
  it('reports no payment as confirmed by blocks that it has not read, even in another block than before', () => {
    wallet.add(newRequest(1, { confirmations: 3 }));
    wallet.mine([[1, 1, 100n]]);
    wallet.grow(20);
    wallet.clear();
    wallet.store.addPage(page(0, 12));
    expect(state()).toBe('waiting');
    expect(after(() => wallet.mine([[1, 1, 100n]]))).toEqual([
      ...['payment.mined', 'payment.confirmed 1', 'request.seen'],
    ]);
    expect(after(() => wallet.grow(2))).toEqual(['request.paid']);
  });

  it('ends at the height of the tip before it', () => {
    wallet.grow(10);
    const isRescanning = (): boolean => wallet.store.write((w) => w.events.isRescanning);
    wallet.clear();
    wallet.store.addPage(page(0, 19));
    expect(isRescanning()).toBe(true);
    wallet.store.addPage(page(19, 1));
    expect(isRescanning()).toBe(false);
  });
});

describe('a reorganisation to a shorter chain', () => {
  beforeEach(() => {
    wallet.add(newRequest(1, { confirmations: 5 }));
    // Heights 79 to 83.
    wallet.grow(79 - wallet.tip - 1);
    wallet.mine([[1, 1, 100n]]);
    wallet.grow(4);
  });

  it('takes the confirmations of its own blocks from a payment below it', () => {
    expect(state()).toBe('paid');
    expect(after(() => wallet.store.addPage(page(81, 1)))).toEqual(['request.reversed']);
    expect(wallet.events().at(-1)?.data).toMatchObject({ was: 'paid', state: 'confirming' });
    expect(after(() => wallet.grow(1))).toEqual([]);
    expect(after(() => wallet.grow(1))).toEqual(['request.paid']);
    expect(after(() => wallet.grow(4))).toEqual([]);
    expect(after(() => wallet.grow(1))).toEqual(['payment.confirmed 10', 'payment.unlocked']);
  });

  it('decides on the mempool while it is below its former height', () => {
    wallet.add(newRequest(2, { confirmations: 0 }));
    wallet.see(2, 2, 100n);
    wallet.store.addPage(page(81, 1));
    expect(state(2)).toBe('paid');
    expect(after(() => wallet.drop(2))).toEqual(['request.reversed']);
    expect(state(2)).toBe('seen');
  });

  it('reports all stages of a payment that is found below it later, and none of another one again', () => {
    wallet.grow(12);
    wallet.store.addPage(page(81, 1));
    const found = wallet.block([[3, 7, 5n]], 79);
    expect(after(() => wallet.store.write((w) => w.addFound(found)))).toEqual([
      ...['payment.mined', 'payment.confirmed 1'],
    ]);
    expect(after(() => wallet.grow(2))).toEqual(['request.paid']);
    expect(after(() => wallet.grow(20))).toEqual(['payment.confirmed 10', 'payment.unlocked']);
  });
});

it('a locked payment of a request that expires is judged by the chain as it is', () => {
  wallet.add(newRequest(1, { confirmations: 1, expires: CREATED + 60 }));
  wallet.mine([[1, 1, 100n, { unlockTime: 30n }]]);
  wallet.grow(25);
  wallet.store.addPage(page(20, 2));
  expect(state()).toBe('waiting');
  wallet.time += 61;
  expect(after(() => wallet.expire())).toEqual(['request.expired']);
  expect(after(() => wallet.grow(15))).toEqual(expect.arrayContaining(['request.paid']));
});
