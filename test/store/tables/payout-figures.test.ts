import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PayoutState } from '../../../src/model/payout.js';
import { CODES } from '../../../src/store/tables/event-row.js';
import { PayoutFigureReader } from '../../../src/store/tables/payout-figures.js';
import { PayoutWriter } from '../../../src/store/tables/payouts.js';
import type { SqlDatabase, SqlParameter } from '../../../src/util/sql-database.js';
import { migratedDatabase } from '../../support/wallets/migrated-database.js';
import { CREATED, newPayout, recordBatch } from '../../support/wallets/payouts.js';

let db: SqlDatabase;
let payouts: PayoutWriter;
let figures: PayoutFigureReader;

beforeEach(() => {
  db = migratedDatabase();
  payouts = new PayoutWriter(db);
  figures = new PayoutFigureReader(db);
});
afterEach(() => db.close());

const add = (id: string, changes: Parameters<typeof newPayout>[1] = {}): number =>
  payouts.add(newPayout(id, changes));

/** Adds an event of a payout. */
function note(id: number, sequence: number, state: PayoutState, was?: PayoutState, fee?: string): void {
  db.run(
    'INSERT INTO event (id, time, type, amount, data) VALUES (?, ?, ?, 1, ?)',
    ...[id, 1000 * (CREATED + id) + 999, CODES[`payout.${state}`]],
    JSON.stringify({ payout: sequence, was, fee }),
  );
}

const batch = (number: number, account: number, ...sequences: readonly number[]): void =>
  recordBatch(payouts, number, account, sequences);

describe('the figures of payouts', () => {
  it('name the queued payout of each account that could have been sent first', () => {
    add('early, for later', { notBefore: CREATED + 500 });
    const second = add('second', { created: CREATED + 20, priority: 1 });
    add('third', { created: CREATED + 30, priority: 4 });
    add('done', { created: 1, state: 'confirmed' });
    add('waits', { created: 1, state: 'awaiting_approval' });
    add('paid', { account: 2, created: 1, state: 'sent' });
    const other = add('other', { account: 7, notBefore: CREATED + 9 });
    expect(figures.oldestQueued()).toEqual([
      { sequence: second, account: 0, since: CREATED + 20 },
      { sequence: other, account: 7, since: CREATED + 9 },
    ]);
    payouts.setState(second, 'cancelled', { time: 1 });
    payouts.setState(other, 'cancelled', { time: 1 });
    expect(figures.oldestQueued()).toMatchObject([{ account: 0, since: CREATED + 30 }]);
  });

  it('are empty without payouts', () => {
    expect(figures.oldestQueued()).toEqual([]);
    expect(figures.oldestAwaiting()).toBeUndefined();
    expect(figures.payingAccounts()).toEqual([]);
    expect(figures.lastBatch()).toBe(0);
    expect(figures.stepsAfter(0, 10)).toEqual({ steps: [], upTo: undefined });
  });

  it('read no other rows of payouts than those that they name', () => {
    const plan = (sql: string, ...params: readonly SqlParameter[]): string[] =>
      db
        .rows<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...params)
        .map(({ detail }) => detail);
    const steps: string[][] = [];
    const noted = (sql: string, ...params: readonly SqlParameter[]): never[] => {
      steps.push(plan(sql, ...params));
      return [];
    };
    const one = (sql: string, ...params: readonly SqlParameter[]): number => noted(sql, ...params).length;
    const queries = { rows: noted, values: noted, value: one };
    const planned = new PayoutFigureReader({ ...queries, bigints: queries } as unknown as SqlDatabase);
    planned.oldestQueued();
    planned.payingAccounts();
    planned.countSendable([1, 2]);
    planned.stepsAfter(0, 1);
    expect(steps).toHaveLength(5);
    expect(steps.flat().filter((step) => /payout_oldest|payout_queue/.test(step)).length).toBeGreaterThan(3);
    expect(steps.flat().filter((step) => /SCAN (p|payout|payout_batch)\b/.test(step))).toEqual([]);
    // A list of numbers, and events, come first: rows of payouts are found by their numbers.
    expect([steps[2]?.[0], steps[4]?.[0]]).toEqual([
      expect.stringMatching(/^SCAN json_each/),
      expect.stringMatching(/^SEARCH e USING INTEGER PRIMARY KEY/),
    ]);
  });

  it('count the wait for approval from the creation on, whatever the time of sending', () => {
    add('first', { created: CREATED + 3, state: 'awaiting_approval', notBefore: CREATED + 900 });
    add('second', { created: CREATED + 4, state: 'awaiting_approval' });
    expect(figures.oldestAwaiting()).toBe(CREATED + 3);
  });

  it('name the accounts that have queued payouts or had batches', () => {
    const paid = add('a', { account: 3, state: 'confirmed' });
    batch(1, 3, paid);
    add('b', { account: 3 });
    add('c', { account: 0 });
    add('d', { account: 5, state: 'cancelled' });
    batch(2, 8, add('e', { account: 8, state: 'sent' }));
    expect(figures.payingAccounts()).toEqual([0, 3, 8]);
  });

  it('count blocked payouts only while they are queued and not paused', () => {
    const all = [add('a'), add('b', { account: 1 }), add('c', { state: 'cancelled' }), 99];
    expect(figures.countSendable(all)).toBe(2);
    payouts.pause({ account: 1, reason: 'x', time: 1 });
    expect(figures.countSendable(all)).toBe(1);
    payouts.pause({ account: -1, reason: 'x', time: 1 });
    expect(figures.countSendable(all)).toBe(0);
  });

  it('list new batches with their sizes, page by page', () => {
    const sequences = ['a', 'b', 'c'].map((id) => add(id));
    batch(4, 0, ...sequences.slice(0, 1));
    batch(6, 0, ...sequences);
    expect(figures.lastBatch()).toBe(6);
    expect(figures.batchesAfter(0, 1)).toEqual([{ batch: 4, payees: 1 }]);
    expect(figures.batchesAfter(4, 5)).toEqual([{ batch: 6, payees: 3 }]);
    expect(figures.batchesAfter(6, 5)).toEqual([]);
  });

  it('list each sending and confirmation after an id, but no return of a mined payout to the pool', () => {
    const first = add('a');
    const later = add('b', { notBefore: CREATED + 2 });
    note(1, first, 'sent', 'sending', '7');
    note(2, first, 'mined', 'sent', '7');
    note(3, later, 'sent', 'sending', '9');
    note(4, first, 'sent', 'mined', '7');
    note(5, first, 'confirmed', 'sent', '7');
    note(6, later, 'queued', 'sent');
    expect(figures.stepsAfter(1, 10)).toEqual({
      upTo: 6,
      steps: [
        { state: 'sent', since: CREATED + 2, time: CREATED + 3, fee: 9n },
        { state: 'confirmed', since: CREATED, time: CREATED + 5, fee: 7n },
      ],
    });
    expect(figures.stepsAfter(1, 1)).toEqual({ upTo: 2, steps: [] });
    expect(figures.stepsAfter(6, 10)).toEqual({ upTo: undefined, steps: [] });
  });
});
