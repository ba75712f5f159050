import { beforeEach, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { EventPeaks, FreshPayments } from '../../../src/store/events/event-peaks.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { MetaWriter } from '../../../src/store/tables/meta.js';
import { migratedDatabase } from '../../support/wallets/migrated-database.js';
import { bytes } from '../fixtures.js';

let facts: Map<string, string>;
let meta: MetaWriter;
let peaks: EventPeaks;

/** A payment in the block at a height, which is its number. */
const paymentAt = (height: number) => ({
  txHash: bytes<Hash>(height + 1),
  subaddress: { major: 0, minor: 1 },
  height,
});

beforeEach(() => {
  facts = new Map();
  meta = {
    get: (name: string) => facts.get(name),
    set: (name: string, value: string) => void facts.set(name, value),
    remove: (name: string) => void facts.delete(name),
  } as Partial<MetaWriter> as MetaWriter;
  peaks = new EventPeaks(meta, new FreshPayments(migratedDatabase()));
});

/** Tips up to which the stages of payments at these heights were reported; undefined without a peak. */
const reportedTo = (...heights: number[]): number[] | undefined => {
  const read = peaks.reader();
  return read && heights.map((height) => read(paymentAt(height)));
};

const stored = (): unknown => JSON.parse(facts.get('event_peaks') ?? 'null');

describe('a reorganisation', () => {
  it('leaves the stages reported of payments below it, up to the former tip', () => {
    expect([peaks.isEmpty, peaks.reader()]).toEqual([true, undefined]);
    peaks.cut(5, 9);
    expect([peaks.isEmpty, reportedTo(0, 4, 5, 6)]).toEqual([false, [9, 9, -1, -1]]);
  });

  it('is over once the chain is as high as before', () => {
    peaks.cut(5, 9);
    peaks.pass(8);
    expect(reportedTo(4)).toEqual([9]);
    peaks.pass(9);
    expect([peaks.isEmpty, reportedTo(4), stored()]).toEqual([true, undefined, null]);
  });

  it('of fewer blocks, before the first one is over, holds for the payments of both', () => {
    peaks.cut(5, 9);
    peaks.cut(6, 7);
    expect(reportedTo(4, 5, 6)).toEqual([9, 7, -1]);
    peaks.pass(8);
    expect(reportedTo(4, 5)).toEqual([9, -1]);
  });

  it('of more blocks holds for the payments below both alone', () => {
    peaks.cut(5, 9);
    peaks.cut(3, 6);
    expect(reportedTo(2, 3, 4)).toEqual([9, -1, -1]);
    // The second one says nothing that the first one does not.
    expect(stored()).toEqual([{ below: 3, tip: 9 }]);
    peaks.cut(3, 9);
    expect(stored()).toEqual([{ below: 3, tip: 9 }]);
  });

  it('says nothing beside a rescan that begins at the same tip', () => {
    peaks.cut(5, 9);
    peaks.rescan(9);
    expect(stored()).toEqual([{ below: Number.MAX_SAFE_INTEGER, tip: 9 }]);
  });
});

describe('a rescan', () => {
  it('leaves the stages reported of all payments, up to the former tip', () => {
    peaks.rescan(9);
    expect(reportedTo(0, 9, 1_000_000)).toEqual([9, 9, 9]);
    peaks.pass(9);
    expect(peaks.isEmpty).toBe(true);
  });
});

describe('a payment that is reported for the first time below a peak', () => {
  const fresh = { ...paymentAt(4), amount: 1n, timestamp: 1, unlockTime: 0n, coinbase: false } as never;

  it('has no reported stages above the tip, until the chain becomes shorter again', () => {
    peaks.rescan(9);
    peaks.begin(fresh);
    expect(reportedTo(3, 4)).toEqual([9, -1]);
    peaks.cut(6, 7);
    peaks.begin(fresh);
    expect(reportedTo(3, 4)).toEqual([9, 7]);
    peaks.rescan(5);
    expect(reportedTo(3, 4)).toEqual([9, 7]);
  });

  it('is as any other after its reversal, and once the chain is as high as before', () => {
    peaks.rescan(9);
    peaks.begin(fresh);
    peaks.forget(fresh);
    expect(reportedTo(4)).toEqual([9]);
    peaks.begin(fresh);
    peaks.pass(8);
    expect(reportedTo(4)).toEqual([-1]);
    peaks.pass(9);
    peaks.rescan(10);
    expect(reportedTo(4)).toEqual([10]);
  });
});

test('peaks are those of a list of all changes, whatever they leave out', () => {
  const height = fc.nat(12);
  const changes = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('cut' as const), from: height, depth: fc.nat(6) }),
      fc.record({ kind: fc.constant('rescan' as const), tip: height }),
      fc.record({ kind: fc.constant('pass' as const), tip: height }),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(changes, (all) => {
      facts.clear();
      let model: { readonly below: number; readonly tip: number }[] = [];
      for (const change of all)
        if (change.kind === 'cut') {
          const { from, depth } = change;
          peaks.cut(from, from + depth);
          model = [...model, { below: Infinity, tip: from + depth }].map(({ below, tip }) => ({
            ...{ below: Math.min(below, from), tip },
          }));
        } else if (change.kind === 'rescan') {
          peaks.rescan(change.tip);
          model = [...model, { below: Infinity, tip: change.tip }];
        } else {
          peaks.pass(change.tip);
          model = model.filter(({ tip }) => tip > change.tip);
        }
      expect(peaks.isEmpty).toBe(model.length === 0);
      const read = peaks.reader();
      for (let at = 0; at <= 14; at++)
        expect(read?.(paymentAt(at)) ?? -1).toBe(
          Math.max(-1, ...model.flatMap(({ below, tip }) => (at < below ? [tip] : []))),
        );
    }),
    { numRuns: 100 },
  );
});
