import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash, PublicKey } from '../../../src/monero/crypto/types.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import { clearChain } from '../../support/chain/cleared-chain.js';

let file = emptyFile();
beforeEach(() => {
  file = emptyFile();
});
afterEach(() => file.close());

function emptyFile(): WalletStore {
  return WalletStore.create(':memory:', new Uint8Array(32));
}

const hash = (kind: number, n: number): Hash => {
  const bytes = new Uint8Array(32).fill(kind);
  new DataView(bytes.buffer).setUint16(0, n);
  return bytes as Hash;
};

function fill(received: readonly number[], paid: readonly number[]): void {
  file.write((w) => {
    clearChain(w, { hard: true });
    received.forEach((height, n) =>
      w.payments.add({
        txHash: hash(1, n),
        height,
        timestamp: 0,
        unlockTime: 0n,
        fee: amount(0n),
        coinbase: false,
        txPublicKey: hash(2, n) as Uint8Array as PublicKey,
        additionalPublicKeys: [],
      }),
    );
    paid.forEach((height, n) =>
      w.outgoing.insert({
        txHash: hash(3, n),
        state: 'confirmed',
        account: 0,
        fromIndices: [0],
        amountIn: amount(2n),
        fee: amount(1n),
        change: amount(0n),
        unlockTime: 0n,
        timestamp: 0,
        height,
        destinations: [],
      }),
    );
  });
}

/** Ranges of heights, newest first; lower bound exclusive, upper bound inclusive. */
function pages(min: number, max: number, limit: number): [number, number][] {
  const found: [number, number][] = [];
  for (let top: number | undefined = max; top !== undefined;) {
    const floor: number | undefined = file.read((r) =>
      r.transferFacts.below({ min, max: top ?? max }, limit),
    );
    found.push([floor ?? min, top]);
    top = floor;
  }
  return found;
}

const heights = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 60 });

describe('pages of the history', () => {
  test('cover it without gaps, each with at most the requested transactions or one block', () => {
    fc.assert(
      fc.property(
        heights,
        heights,
        fc.integer({ min: -1, max: 10 }),
        fc.integer({ min: 11, max: 40 }),
        fc.integer({ min: 1, max: 20 }),
        (received, paid, min, max, limit) => {
          fill(received, paid);
          const all = [...received, ...paid].filter((height) => height > min && height <= max);
          const cut = pages(min, max, limit);
          expect(cut[0]?.[1]).toBe(max);
          expect(cut.at(-1)?.[0]).toBe(min);
          cut.slice(1).forEach(([, top], i) => expect(top).toBe(cut[i]?.[0]));
          for (const [floor, top] of cut) {
            const within = all.filter((height) => height > floor && height <= top);
            if (all.length > 0) expect(within.length).toBeGreaterThan(0);
            if (within.length > limit) expect(new Set(within).size).toBe(1);
          }
        },
      ),
    );
  });

  test('end at the oldest transaction', () => {
    fill([1, 2, 3], [2, 3]);
    expect(pages(-1, 100, 2)).toEqual([
      [2, 100],
      [1, 2],
      [-1, 1],
    ]);
    expect(pages(-1, 100, 5)).toEqual([[-1, 100]]);
  });
});
