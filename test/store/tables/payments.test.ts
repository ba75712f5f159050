import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import type { TxRange } from '../../../src/store/tables/pages.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { equalBytes } from '../../../src/util/bytes.js';
import type { Payment } from '../../../src/store/tables/payments.js';
import { bytes, output, page, received } from '../fixtures.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

const BLOCKS = 12;

describe('pages of payments', () => {
  const txs = fc.array(
    fc.record({ height: fc.integer({ min: 0, max: BLOCKS }), outputs: fc.integer({ min: 1, max: 4 }) }),
    { maxLength: 20 },
  );

  it('have the fewest transactions with enough outputs, within a block too, and are the whole list together', () => {
    fc.assert(
      fc.property(
        txs,
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: -1, max: BLOCKS }),
        fc.integer({ min: 0, max: BLOCKS }),
        (found, size, min, max) => {
          const store = WalletStore.create(':memory:', new Uint8Array(32), () => undefined);
          // Not in the order of hashes.
          const hashOf = (tx: number): number => 50 + ((7 * tx) % 20);
          store.write((w) =>
            w.applyPage(
              page(0, BLOCKS, {
                received: found.map(({ height }, tx) => received(hashOf(tx), height)),
                outputs: found.flatMap(({ height, outputs: count }, tx) =>
                  Array.from({ length: count }, (_, i) => {
                    const key = 1000 + 10 * tx + i;
                    return output(hashOf(tx), height, 1n, {
                      ...{ subaddress: { major: 0, minor: i }, outputIndex: i, globalIndex: key },
                      ...{ publicKey: bytes<PublicKey>(key), keyImage: bytes<KeyImage>(key) },
                    });
                  }),
                ),
              }),
            ),
          );
          const whole = store.read((r) => r.payments.list({ min, max }));
          const expected = found.filter(({ height }) => height > min && height <= max);
          expect(whole).toHaveLength(expected.reduce((sum, { outputs: count }) => sum + count, 0));
          const pages: Payment[][] = [];
          let rest: TxRange | undefined = { min, max };
          while (rest !== undefined) {
            const range: TxRange = rest;
            const division = store.read((r) => r.payments.divide(range, size));
            pages.push(store.read((r) => r.payments.list(division?.page ?? range)));
            rest = division?.rest;
          }
          expect(pages.flat()).toEqual(whole);
          expect(pages.pop()?.length).toBeLessThan(size);
          for (const full of pages) {
            const last = full.at(-1)?.tx.txHash;
            expect(full.length).toBeGreaterThanOrEqual(size);
            expect(
              full.filter(({ tx }) => last === undefined || !equalBytes(tx.txHash, last)).length,
            ).toBeLessThan(size);
          }
          store.close();
        },
      ),
      { numRuns: randomRuns(100) },
    );
  });
});
