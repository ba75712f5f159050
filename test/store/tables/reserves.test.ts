import { afterAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import { UNKNOWN_TX } from '../../../src/store/tables/output-row.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import { ownedOutput } from '../../monero/wallet/fixtures.js';
import { received } from '../fixtures.js';
import { clearChain } from '../../support/chain/cleared-chain.js';

const file = WalletStore.create(':memory:', new Uint8Array(32));
afterAll(() => file.close());

const facts = fc.record({
  value: fc.bigInt({ min: 1n, max: 40n }),
  account: fc.nat(1),
  frozen: fc.boolean(),
  spend: fc.constantFrom('none', 'none', 'none', 'unmined', 'mined'),
});
type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never;

/** Amounts of the last outputs that were stored, of those that can prove a reserve. */
function stored(held: readonly Facts[]): (account: number) => bigint[] {
  file.write((w) => {
    clearChain(w, { hard: true });
    for (const { value, account, frozen, spend } of held) {
      const made = ownedOutput(value, { subaddress: { major: account, minor: 0 } });
      const output = { ...made, keyImage: made.publicKey as Uint8Array as KeyImage };
      w.payments.add({ ...received(0, output.height), txHash: output.txHash });
      w.outputs.add(output);
      if (spend === 'unmined') w.outputs.reserve([output], new Uint8Array(32).fill(7) as Hash);
      if (spend === 'mined') w.outputs.markSpentByUnknown(output, true);
      if (frozen) w.outputs.setFrozen(output, true);
    }
  });
  return (of) =>
    held
      .filter(({ account, frozen, spend }) => account === of && !frozen && spend !== 'mined')
      .map(({ value }) => value);
}

const sumOf = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);

it('the outputs that prove an amount are the smallest sufficient one, or the fewest that reach it', () => {
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 16 }), fc.bigInt({ min: 1n, max: 150n }), (held, least) => {
      const unspent = stored(held);
      expect(file.read((r) => r.reserves.any())).toBe([0, 1].some((account) => unspent(account).length > 0));
      for (const account of [0, 1]) {
        const values = unspent(account);
        const found = file.read((r) => r.reserves.fewest(account, amount(least)));
        const picked = found.map((output) => output.amount as bigint);
        expect(found.every(({ subaddress }) => subaddress.major === account)).toBe(true);
        const sufficient = values.filter((value) => value >= least).sort((a, b) => Number(a - b));
        if (sufficient.length > 0) expect(picked).toEqual(sufficient.slice(0, 1));
        else if (sumOf(values) < least) expect([...picked].sort()).toEqual([...values].sort());
        else {
          const largest = [...values].sort((a, b) => Number(b - a));
          expect(picked).toEqual(largest.slice(0, picked.length));
          expect(sumOf(picked)).toBeGreaterThanOrEqual(least);
          expect(sumOf(picked.slice(0, -1))).toBeLessThan(least);
        }
      }
    }),
  );
});

it('an output that an unknown mined transaction spends proves nothing', () => {
  stored([{ value: 5n, account: 0, frozen: false, spend: 'mined' }]);
  expect(file.read((r) => [r.reserves.any(), r.reserves.fewest(0, amount(1n))])).toEqual([false, []]);
  expect(file.read((r) => r.outputs.spentBy(UNKNOWN_TX))).toHaveLength(1);
});
