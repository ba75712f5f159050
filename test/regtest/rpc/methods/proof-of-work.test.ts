import { auxSlot, auxSlots, mergeMiningDepth } from '../../../../src/regtest/rpc/proof-of-work.js';
import { describe, expect, it, test } from '@jest/globals';
import type { Hash } from '../../../../src/monero/crypto/types.js';
import { fromHex } from '../../../../src/util/bytes.js';

const chains = (count: number): Hash[] =>
  Array.from({ length: count }, (_, i) => fromHex(`${i}`.padStart(64, '1')) as Hash);

/** First nonce that gives every chain a different slot. */
function firstNonce(ids: readonly Hash[]): number {
  for (let nonce = 0; ; nonce++) if (auxSlots(ids, nonce) !== undefined) return nonce;
}

describe('merge mining', () => {
  // `merkle_tree_depth` of add_aux_pow, monerod 0.18.0, for chains named as above.
  it('finds the nonce and the depth that monerod finds', () => {
    const nonce = firstNonce(chains(7));
    expect(nonce).toBe(205);
    expect(mergeMiningDepth(7, nonce)).toBe(13_170n);
  });

  it('gives seven chains seven slots', () => {
    const slots = auxSlots(chains(7), 205) ?? [];
    expect([...slots].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(slots).toEqual(chains(7).map((id) => auxSlot(id, 205, 7)));
  });

  it('detects chains that share a slot', () => {
    const [id] = chains(1);
    expect(auxSlots([id as Hash, id as Hash], 0)).toBeUndefined();
  });

  test.each([
    { count: 1, nonce: 0, depth: 0b0_000 },
    { count: 2, nonce: 0, depth: 0b1_000 },
    { count: 2, nonce: 1, depth: 0b1_1_000 },
    { count: 3, nonce: 1, depth: 0b1_10_001 },
    { count: 256, nonce: 65_535, depth: 65_535 * 2 ** 11 + 255 * 8 + 7 },
  ])('writes $count chains and nonce $nonce as $depth', ({ count, nonce, depth }) => {
    expect(mergeMiningDepth(count, nonce)).toBe(BigInt(depth));
  });
});
