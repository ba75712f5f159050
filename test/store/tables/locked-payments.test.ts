import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { SqlDatabase } from '../../../src/util/sql-database.js';
import { LockedPayments } from '../../../src/store/tables/reported.js';
import { migratedDatabase } from '../../support/wallets/migrated-database.js';
import { bytes } from '../fixtures.js';

let db: SqlDatabase;
let locked: LockedPayments;

beforeEach(() => {
  db = migratedDatabase();
  locked = new LockedPayments(db);
});
afterEach(() => db.close());

const paying = (tx: number, minor = 0, major = 0) => ({
  txHash: bytes<Hash>(tx),
  subaddress: { major, minor },
});

describe('a locked payment', () => {
  it('is due at the height and at the time from which it is unlocked, and not before either', () => {
    locked.add(paying(1), { height: 10, time: 500 });
    expect([locked.due(9, 501), locked.due(11, 499), locked.due(9, 499)]).toEqual([[], [], []]);
    expect(locked.due(10, 500)).toEqual([paying(1)]);
  });

  it('has its latest heights and times', () => {
    locked.add(paying(1), { height: 10, time: 500 });
    locked.add(paying(1), { height: 20, time: 0 });
    expect([locked.due(19, 900), locked.due(20, 0)]).toEqual([[], [paying(1)]]);
  });

  it('is one transaction to one address, and is removed without others', () => {
    const all = [paying(1, 1, 0), paying(1, 2, 0), paying(1, 1, 3), paying(2, 1, 0)];
    for (const [i, gone] of all.entries()) {
      for (const one of all) locked.add(one, { height: 1, time: 0 });
      locked.remove(gone);
      expect(locked.due(1, 0)).toEqual(expect.arrayContaining(all.filter((_, j) => j !== i)));
      expect(locked.due(1, 0)).toHaveLength(3);
    }
    for (const one of all) locked.remove(one);
    expect(locked.isEmpty).toBe(true);
  });

  it('comes in the order of heights, transactions and addresses', () => {
    const facts = fc.record({ tx: fc.nat(3), minor: fc.nat(2), major: fc.nat(2), height: fc.nat(3) });
    const byKey = {
      selector: (one: { tx: number; minor: number; major: number }) => `${one.tx} ${one.major} ${one.minor}`,
    };
    fc.assert(
      fc.property(fc.uniqueArray(facts, byKey), (all) => {
        db.exec('DELETE FROM locked_payment');
        for (const { tx, minor, major, height } of all)
          locked.add(paying(tx, minor, major), { height, time: 0 });
        const sorted = all.toSorted(
          (a, b) => a.height - b.height || a.tx - b.tx || a.major - b.major || a.minor - b.minor,
        );
        expect(locked.isEmpty).toBe(all.length === 0);
        expect(locked.due(3, 0)).toEqual(sorted.map(({ tx, minor, major }) => paying(tx, minor, major)));
      }),
      { numRuns: 50 },
    );
  });
});
