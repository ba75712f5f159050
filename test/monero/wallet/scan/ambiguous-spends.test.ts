import { describe, expect, it, test } from '@jest/globals';
import type { Hash, KeyImage } from '../../../../src/monero/crypto/types.js';
import type { KeyInput, Transaction, TxInput } from '../../../../src/monero/cryptonote/types.js';
import { amount, U64_MAX } from '../../../../src/util/amount.js';
import {
  OutputsWithoutKeyImage,
  outgoingOf,
  spendingTx,
  unpackBlindOutputs,
} from '../../../../src/monero/wallet/scan/ambiguous-spends.js';

const image = (fill: number): KeyImage => new Uint8Array(32).fill(fill) as KeyImage;
const HASH = new Uint8Array(32).fill(1) as Hash;

const ring = (keyOffsets: readonly bigint[], value = 0n, fill = 7): KeyInput => ({
  type: 'key',
  amount: amount(value),
  keyOffsets,
  keyImage: image(fill),
});

const tx = (
  inputs: readonly TxInput[],
  version: 1 | 2 = 2,
  amounts: readonly bigint[] = [],
): Transaction => ({
  prefix: {
    version,
    unlockTime: 5n,
    inputs,
    outputs: amounts.map((value) => ({ amount: amount(value), publicKey: image(9) as never })),
    extra: new Uint8Array(),
  },
  ...(version === 2
    ? { rct: { base: { type: 6, fee: amount(30n), pseudoOuts: [], ecdhInfo: [], outPk: [] } } }
    : { signatures: [] }),
});

describe('outputs without a key image', () => {
  const blind = (): OutputsWithoutKeyImage =>
    new OutputsWithoutKeyImage([
      { amount: amount(0n), globalIndex: 100, height: 10 },
      { amount: amount(5n), globalIndex: 3, height: 20 },
    ]);

  test.each([
    ['a ring that begins with it', [ring([100n, 5n])], true],
    ['a ring that ends with it', [ring([1n, 2n, 97n])], true],
    ['a ring that does not contain it', [ring([99n, 2n])], false],
    ['the second ring', [ring([1n]), ring([100n])], true],
    ['a ring of another amount', [ring([100n], 5n), ring([3n])], false],
    ['a ring of its amount', [ring([1n, 2n], 5n)], true],
    ['an offset beyond all outputs', [ring([(1n << 64n) - 1n, 101n])], false],
    ['a reward', [{ type: 'gen', height: 1 } as const], false],
    ['nothing', [], false],
  ])('may be spent by %s: %#', (_, inputs, expected) => {
    expect(blind().mayBeSpentBy(tx(inputs))).toBe(expected);
  });

  it('are unpacked from records of 20 bytes each', () => {
    const outputs = [
      { amount: amount(0n), globalIndex: 2 ** 40 + 1, height: 2 ** 32 - 1 },
      { amount: amount(U64_MAX), globalIndex: 0, height: 7 },
      { amount: amount(5n), globalIndex: 3, height: 0 },
    ];
    const packed = new Uint8Array(3 + 20 * outputs.length).subarray(3);
    const view = new DataView(packed.buffer, 3);
    outputs.forEach(({ amount: value, globalIndex, height }, n) => {
      view.setBigUint64(20 * n, value);
      view.setBigUint64(20 * n + 8, BigInt(globalIndex));
      view.setUint32(20 * n + 16, height);
    });
    expect([...unpackBlindOutputs(packed)]).toEqual(outputs);
  });

  it('grow and are detached with the chain', () => {
    const outputs = blind();
    outputs.add({ amount: amount(0n), globalIndex: 200, height: 20 });
    expect(outputs.mayBeSpentBy(tx([ring([200n])]))).toBe(true);
    outputs.detach(19, 19);
    expect(outputs.mayBeSpentBy(tx([ring([200n])]))).toBe(true);
    outputs.detach(20, 20);
    expect(outputs.mayBeSpentBy(tx([ring([200n])]))).toBe(false);
    expect(outputs.mayBeSpentBy(tx([ring([3n], 5n)]))).toBe(false);
    expect(outputs.mayBeSpentBy(tx([ring([100n])]))).toBe(true);
  });
});

describe("a payer's record of a transaction", () => {
  const coin = (value: bigint, major: number, minor = 0) => ({
    amount: amount(value),
    subaddress: { major, minor },
  });

  it('counts only outputs to the paying account as change', () => {
    const outgoing = outgoingOf(
      spendingTx(HASH, tx([ring([1n])]), 1000),
      1,
      [coin(100n, 1, 4), coin(50n, 1, 2), coin(1n, 1, 4)],
      [coin(7n, 1), coin(9n, 0)],
    );
    expect(outgoing).toEqual({
      txHash: HASH,
      timestamp: 1000,
      unlockTime: 5n,
      account: 1,
      fromIndices: [2, 4],
      amountIn: 151n,
      change: 7n,
      fee: 30n,
    });
  });

  it('has the fee that RingCT data name, and no plain amounts beside them', () => {
    const most = [2n ** 63n, 2n ** 63n];
    expect(spendingTx(HASH, tx([ring([1n])], 2, most), 1000)).toMatchObject({ fee: 30n, amountOut: 0n });
    const { rct, ...without } = tx([ring([1n])]);
    expect(rct).toBeDefined();
    expect(spendingTx(HASH, without, 1000)).toMatchObject({ fee: 0n });
  });

  it('has inputs less outputs as its fee before RingCT', () => {
    const old = spendingTx(HASH, tx([ring([1n], 100n)], 1, [60n, 30n]), 1000);
    expect(outgoingOf(old, 0, [coin(100n, 0)], []).fee).toBe(10n);
    expect(outgoingOf(old, 0, [coin(50n, 0)], []).fee).toBe(0n);
  });
});
