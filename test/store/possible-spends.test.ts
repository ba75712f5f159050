import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../src/crypto/types.js';
import { settlePossibleSpends } from '../../src/store/learn-key-images.js';
import { WalletFile } from '../../src/store/wallet-file.js';
import { amount } from '../../src/util/amount.js';
import type { PossibleSpend } from '../../src/wallet/possible-spends.js';
import type { OwnedOutput } from '../../src/wallet/records.js';
import { bytes, output, page, received } from './fixtures.js';

let file: WalletFile;

beforeEach(() => {
  file = WalletFile.create(':memory:', new Uint8Array(32));
});

afterEach(() => file.close());

const balance = (): bigint =>
  file.read((r) => r.outputs.balances({ strict: false })).reduce((sum, { total }) => sum + total, 0n);

describe('what may have been spent while the spend key was away', () => {
  const blindOutput: Record<string, unknown> = { ...output(1, 2, 50n) };
  delete blindOutput['keyImage'];
  const possible = (tx: number, height: number, ...images: number[]): PossibleSpend => ({
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
      settlePossibleSpends(w, [{ publicKey: bytes<PublicKey>(101), keyImage: bytes<KeyImage>(keyImage) }]),
    );

  beforeEach(() => {
    file.write((w) =>
      w.applyPage(
        page(0, 5, {
          received: [received(1, 2), received(2, 2), received(3, 4)],
          outputs: [blindOutput as unknown as OwnedOutput, output(2, 2, 20n), output(3, 4, 8n)],
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
          possibleSpends: [possible(3, 4, 102, 111), possible(4, 4, 150)],
        }),
      ),
    );
  });

  it('is spent, and its payment whole, once the key image is known', () => {
    expect(balance()).toBe(58n);
    expect(file.read((r) => r.outputs.blind())).toMatchObject([{ amount: 50n }]);
    settle(111);
    expect(balance()).toBe(8n);
    expect(file.read((r) => r.outputs.blind())).toEqual([]);
    expect(file.read((r) => r.possibleSpends.list())).toEqual([]);
    expect(file.read((r) => r.outgoing.list({ states: ['confirmed'] }))).toMatchObject([
      { txHash: bytes<Hash>(3), amountIn: 70n, change: 8n, fee: 3n, height: 4 },
    ]);
    expect(file.read((r) => r.payments.byTx(bytes<Hash>(3)))).toEqual([]);
  });

  it('is not spent where the key image is another one', () => {
    settle(112);
    expect(balance()).toBe(58n);
    expect(file.read((r) => r.outgoing.byHash(bytes<Hash>(4)))).toBeUndefined();
  });

  it('is forgotten with its block', () => {
    file.write((w) => w.applyPage(page(4, 1)));
    expect(file.read((r) => r.possibleSpends.list())).toEqual([]);
    settle(111);
    expect(balance()).toBe(70n);
  });
});
