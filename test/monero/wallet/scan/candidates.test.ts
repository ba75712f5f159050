import { expect, test } from '@jest/globals';
import type { PublicKey } from '../../../../src/monero/crypto/types.js';
import { writeExtra } from '../../../../src/monero/cryptonote/extra.js';
import type { Transaction } from '../../../../src/monero/cryptonote/types.js';
import { NO_VIEW_TAG } from '../../../../src/monero/kernel/kernel.js';
import { candidatesIn, keysBefore } from '../../../../src/monero/wallet/scan/output-matches.js';
import { amount } from '../../../../src/util/amount.js';

const keyOf = (n: number): PublicKey => new Uint8Array(32).fill(n) as PublicKey;

/** A transaction with outputs of some keys, of which the first has no view tag. */
const txOf = (
  outputs: readonly number[],
  main: readonly number[],
  additional: readonly number[],
): Pick<Transaction, 'prefix'> => ({
  prefix: {
    version: 2,
    unlockTime: 0n,
    inputs: [],
    outputs: outputs.map((n, i) => ({
      amount: amount(0n),
      publicKey: keyOf(n),
      ...(i === 0 ? {} : { viewTag: n }),
    })),
    extra: writeExtra([
      ...main.map((n) => ({ type: 'publicKey', key: keyOf(n) }) as const),
      ...(additional.length === 0 ? [] : [{ type: 'additionalKeys', keys: additional.map(keyOf) } as const]),
    ]),
  },
});

test('a scan tries outputs with main keys and their own additional key; additional keys count beside a main key only', () => {
  const candidates = candidatesIn([
    txOf([1, 2], [51], [61, 62, 63]),
    txOf([], [52], [64]),
    txOf([3], [], [65]),
    txOf([4, 5, 6], [53, 54], [66]),
  ]);
  const firstBytes = (list: Uint8Array): number[] => [...list].filter((_, i) => i % 32 === 0);
  expect(firstBytes(candidates.outputs)).toEqual([1, 2, 3, 4, 5, 6]);
  expect([...candidates.firstOutputs]).toEqual([0, 2, 2, 3]);
  expect([...candidates.outputIndices]).toEqual([0, 1, 0, 0, 1, 2]);
  expect([...candidates.viewTags]).toEqual([NO_VIEW_TAG, 2, NO_VIEW_TAG, NO_VIEW_TAG, 5, 6]);
  // Neither a transaction without outputs nor one without a main key has any keys.
  expect(firstBytes(candidates.keys)).toEqual([51, 61, 62, 53, 54, 66]);
  expect([...candidates.mainKeys]).toEqual([1, 0, 0, 2]);
  expect([0, 1, 2, 3, 4].map((tx) => keysBefore(candidates, tx))).toEqual([0, 3, 3, 3, 6]);
});
