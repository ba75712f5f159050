import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { openDatabase } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { ChainWriter } from '../../../src/store/tables/chain.js';
import { MAX_REORGANISATION } from '../../../src/monero/wallet/scan/findings.js';

const hashOf = (height: number): Hash => {
  const hash = new Uint8Array(32);
  new DataView(hash.buffer).setUint32(0, height);
  return hash as Hash;
};

/** Moves of a chain: depth of the reorganisation, blocks left out, blocks attached. */
const moves = fc.array(
  fc.record({
    undone: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 9000 })),
    skipped: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 9000 })),
    attached: fc.integer({ min: 1, max: 7000 }),
  }),
  { minLength: 1, maxLength: 6 },
);

it('names a block in each short history that a reorganisation just below the deepest one reaches', () => {
  const db = openDatabase(':memory:', { key: new Uint8Array(32), cipher: NEW_CIPHER });
  const chain = new ChainWriter(db);
  const tip = MAX_REORGANISATION + 500;
  db.transaction(() =>
    chain.attach(
      0,
      Array.from({ length: tip + 1 }, (_, height) => hashOf(height)),
    ),
  )();
  const depths = chain.shortHistory().map(({ height }) => tip - height);
  for (const depth of [10, 71, 135, 5000, 8000, 9000, MAX_REORGANISATION - 100]) {
    const named = depths.find((one) => one >= depth) ?? Infinity;
    expect(named).toBeLessThanOrEqual(MAX_REORGANISATION - 100);
  }
  expect(depths.at(-1)).toBe(tip);
  db.close();
});

it('keeps the first block, those that a reorganisation may undo, and every thousandth of the others', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2500 }), moves, (start, steps) => {
      const db = openDatabase(':memory:', { key: new Uint8Array(32), cipher: NEW_CIPHER });
      const chain = new ChainWriter(db);
      let kept = new Set<number>();
      let next = start;
      for (const { undone, skipped, attached } of steps) {
        const from = Math.max(start, next - undone) + skipped;
        const end = from + attached;
        db.transaction(() => {
          chain.drop(from);
          chain.attach(
            from,
            Array.from({ length: attached }, (_, i) => hashOf(from + i)),
          );
        })();
        const all = [...kept].filter((height) => height < from);
        for (let height = from; height < end; height++) all.push(height);
        const first = Math.min(...all);
        kept = new Set(
          all.filter(
            (height) => height === first || height % 1000 === 0 || height >= end - MAX_REORGANISATION,
          ),
        );
        next = end;
      }
      const heights = db.values<number>('SELECT height FROM chain_block ORDER BY height');
      expect(heights).toEqual([...kept].sort((a, b) => a - b));
      expect(chain.tip()).toEqual({ height: next - 1, hash: hashOf(next - 1) });
      db.close();
    }),
    { numRuns: 30 },
  );
});
