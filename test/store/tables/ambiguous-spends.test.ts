import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { composeKeyImages, resolveAmbiguousSpends } from '../../../src/store/resolve-key-images.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import type { AmbiguousSpend, OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { bytes, output, page, received } from '../fixtures.js';
import { clearChain } from '../../support/chain/cleared-chain.js';

let file: WalletStore;

beforeEach(() => {
  file = WalletStore.create(':memory:', new Uint8Array(32));
});

afterEach(() => file.close());

const balance = (): bigint =>
  file.read((r) => r.balances.ofAddresses({ strict: false })).reduce((sum, { total }) => sum + total, 0n);

/** An output without a known key image. */
function unnamed(tx: number, height: number, value: bigint): OwnedOutput {
  const found: Record<string, unknown> = { ...output(tx, height, value) };
  delete found['keyImage'];
  return found as unknown as OwnedOutput;
}

describe('an output that may have been spent while the spend key was absent', () => {
  const possible = (tx: number, height: number, ...images: number[]): AmbiguousSpend => ({
    txHash: bytes<Hash>(tx),
    height,
    timestamp: 1000 + height,
    unlockTime: 0n,
    fee: amount(3n),
    amountOut: amount(0n),
    keyImages: images.map((fill) => bytes<KeyImage>(fill)),
  });
  const settle = (keyImage: number): void =>
    file.write((w) =>
      resolveAmbiguousSpends(w, [{ publicKey: bytes<PublicKey>(101), keyImage: bytes<KeyImage>(keyImage) }]),
    );

  beforeEach(() => {
    file.write((w) =>
      w.applyPage(
        page(0, 5, {
          received: [received(1, 2), received(2, 2), received(3, 4)],
          outputs: [unnamed(1, 2, 50n), output(2, 2, 20n), output(3, 4, 8n)],
          spends: [{ keyImage: bytes<KeyImage>(102), txHash: bytes<Hash>(3), height: 4 }],
          outgoing: [
            {
              txHash: bytes<Hash>(3),
              height: 4,
              timestamp: 1004,
              account: 0,
              fromIndices: [0],
              amountIn: amount(20n),
              change: amount(8n),
              fee: amount(3n),
              unlockTime: 0n,
            },
          ],
          ambiguousSpends: [possible(3, 4, 102, 111), possible(4, 4, 150)],
        }),
      ),
    );
  });

  it('is spent, and its payment complete, once the key image is known', () => {
    expect(balance()).toBe(58n);
    expect(file.read((r) => r.outputs.someWithoutKeyImage(10))).toMatchObject([{ amount: 50n }]);
    settle(111);
    expect(balance()).toBe(8n);
    expect(file.read((r) => r.outputs.someWithoutKeyImage(10))).toEqual([]);
    expect(file.read((r) => r.ambiguousSpends.list())).toEqual([]);
    expect(file.read((r) => r.outgoing.list({ states: ['confirmed'] }))).toMatchObject([
      { txHash: bytes<Hash>(3), amountIn: 70n, change: 8n, fee: 3n, height: 4 },
    ]);
    expect(file.read((r) => r.payments.byTx(bytes<Hash>(3)))).toEqual([]);
  });

  it('is not spent if the key image is another one', () => {
    settle(112);
    expect(balance()).toBe(58n);
    expect(file.read((r) => r.outgoing.byHash(bytes<Hash>(4)))).toBeUndefined();
  });

  it('has no ambiguous spend after its block was undone', () => {
    file.write((w) => w.applyPage(page(4, 1)));
    expect(file.read((r) => r.ambiguousSpends.list())).toEqual([]);
    settle(111);
    expect(balance()).toBe(70n);
  });
});

describe('an output that may have been spent before its key image was composed', () => {
  const compose = (tx: number, keyImage: number): void =>
    file.write((w) =>
      composeKeyImages(w, [{ publicKey: bytes<PublicKey>(100 + tx), keyImage: bytes<KeyImage>(keyImage) }]),
    );

  beforeEach(() => {
    file.write((w) =>
      w.applyPage(
        page(0, 5, {
          received: [received(1, 2), received(2, 2)],
          outputs: [unnamed(1, 2, 50n), unnamed(2, 2, 20n)],
          ambiguousSpends: [
            {
              txHash: bytes<Hash>(4),
              height: 4,
              timestamp: 1004,
              unlockTime: 0n,
              fee: amount(3n),
              amountOut: amount(0n),
              keyImages: [bytes<KeyImage>(101), bytes<KeyImage>(102)],
            },
          ],
        }),
      ),
    );
  });

  it('is checked again as long as a key image is missing', () => {
    compose(1, 101);
    expect(balance()).toBe(20n);
    expect(file.read((r) => r.ambiguousSpends.list())).toHaveLength(1);
    compose(2, 102);
    expect(balance()).toBe(0n);
    expect(file.read((r) => r.ambiguousSpends.list())).toEqual([]);
    expect(file.read((r) => r.outgoing.list({ states: ['confirmed'] }))).toMatchObject([
      { txHash: bytes<Hash>(4), amountIn: 70n, change: 0n, fee: 3n, height: 4 },
    ]);
  });

  it('has the key image that was composed last, also when the chain is read again', () => {
    compose(1, 150);
    expect(balance()).toBe(70n);
    compose(1, 101);
    expect(balance()).toBe(20n);
    file.write((w) => clearChain(w, { hard: false }));
    file.write((w) => w.applyPage(page(0, 3, { received: [received(1, 2)], outputs: [unnamed(1, 2, 50n)] })));
    expect(file.read((r) => r.outputs.byKeyImage(bytes<KeyImage>(101)))).toBeDefined();
  });
});
