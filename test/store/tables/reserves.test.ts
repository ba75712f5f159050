import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
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

describe('outputs of a height', () => {
  const held = (height: number, accounts?: readonly number[], most = 100): bigint[] =>
    file.read((r) => r.reserves.heldAt(height, accounts, most).map((output) => output.amount as bigint));

  /** Stores outputs that are given by amount, height and account. @param facts also the key, if several have it. */
  function store(
    ...rows: readonly (readonly [bigint, number, number, Partial<OwnedOutput>?])[]
  ): OwnedOutput[] {
    const outputs = rows.map(([value, height, account, facts = {}]) => {
      const made = ownedOutput(value, { height, subaddress: { major: account, minor: 0 }, ...facts });
      return { ...made, keyImage: made.publicKey as Uint8Array as KeyImage };
    });
    file.write((w) => {
      clearChain(w, { hard: true });
      for (const output of outputs) {
        w.payments.add({ ...received(0, output.height), txHash: output.txHash });
        w.outputs.add(output);
      }
    });
    return outputs;
  }

  it('are those received up to it, of the accounts, in the order of the chain, and no more than asked for', () => {
    store([3n, 30, 0], [1n, 10, 1], [2n, 20, 0]);
    expect(held(30)).toEqual([1n, 2n, 3n]);
    expect(held(29)).toEqual([1n, 2n]);
    expect(held(9)).toEqual([]);
    expect(held(30, [0])).toEqual([2n, 3n]);
    expect(held(30, [1, 2])).toEqual([1n]);
    expect(held(30, undefined, 2)).toEqual([1n, 2n]);
  });

  it('of one key are the one that could be spent then', () => {
    const publicKey = new Uint8Array(32).fill(200) as OwnedOutput['publicKey'];
    store(
      [2n, 10, 0, { publicKey }],
      [1n, 20, 0, { publicKey }],
      [2n, 25, 0, { publicKey }],
      [9n, 30, 0, { publicKey }],
    );
    expect(held(10)).toEqual([2n]);
    expect(held(20)).toEqual([2n]);
    expect(held(29)).toEqual([2n]);
    expect(held(30)).toEqual([9n]);
  });

  it('of one key are none after the spend of the key', () => {
    const publicKey = new Uint8Array(32).fill(201) as OwnedOutput['publicKey'];
    const [first] = store([2n, 10, 0, { publicKey }], [9n, 30, 0, { publicKey }]);
    file.write((w) =>
      w.outputs.markSpent({
        keyImage: first?.keyImage as KeyImage,
        txHash: new Uint8Array(32).fill(7) as Hash,
        height: 20,
        globalIndex: 0,
      }),
    );
    expect(held(19)).toEqual([2n]);
    expect(held(20)).toEqual([]);
    expect(held(30)).toEqual([]);
  });
});
