import { describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../src/monero/crypto/types.js';
import { resolveKeyImages, recogniseSpends } from '../../src/store/resolve-key-images.js';
import { WalletStore } from '../../src/store/wallet-store.js';
import { amount } from '../../src/util/amount.js';
import type { ImportedOutput } from '../../src/store/tables/imported-outputs.js';
import type { OwnedOutput, PageFindings, ReceivedTx } from '../../src/monero/wallet/scan/findings.js';
import { WATCHED_BYTES } from '../../src/monero/wallet/scan/watch-table.js';
import { clearChain } from '../support/chain/cleared-chain.js';

const bytes = <T>(fill: number): T => new Uint8Array(32).fill(fill) as T;
const key = (fill: number): PublicKey => bytes(fill);
const image = (fill: number): KeyImage => bytes(100 + fill);

const open = (): WalletStore => WalletStore.create(':memory:', new Uint8Array(32));

const output = (fill: number, height: number, facts: Partial<OwnedOutput> = {}): OwnedOutput => ({
  txHash: bytes<Hash>(fill),
  outputIndex: 0,
  globalIndex: fill,
  publicKey: key(fill),
  amount: amount(10n),
  mask: 1n,
  rct: true,
  subaddress: { major: 0, minor: 0 },
  derivationKey: key(200),
  height,
  unlockTime: 0n,
  coinbase: false,
  change: false,
  burnt: false,
  frozen: false,
  ...facts,
});

const received = (fill: number, height: number, spends: readonly KeyImage[] = []): ReceivedTx => ({
  txHash: bytes<Hash>(fill),
  height,
  timestamp: 1000 + height,
  unlockTime: 0n,
  fee: amount(2n),
  coinbase: false,
  txPublicKey: key(200),
  additionalPublicKeys: [],
  spentKeyImages: spends,
});

/** A block with the outputs that it pays to the wallet. */
const page = (height: number, txs: readonly ReceivedTx[], outputs: readonly OwnedOutput[]): PageFindings => ({
  startHeight: height,
  hashes: [bytes<Hash>(height)],
  received: txs,
  outputs,
  spends: [],
  outgoing: [],
  subaddresses: [],
  lastBlockReward: amount(0n),
});

/** Two outputs at height 1; at height 2 a transaction that spends both and returns 7. */
function viewOnlyWallet(): WalletStore {
  const file = open();
  file.write((w) => {
    w.applyPage(page(1, [received(1, 1), received(2, 1)], [output(1, 1), output(2, 1)]));
    w.applyPage(page(2, [received(3, 2, [image(1), image(2)])], [output(3, 2, { amount: amount(7n) })]));
  });
  return file;
}

const importedImage = (fill: number, proven = true) => ({
  publicKey: key(fill),
  keyImage: image(fill),
  proven,
});

describe('a wallet without a spend key', () => {
  it('counts change of its own payments as income until key images are imported', () => {
    const file = viewOnlyWallet();
    expect(file.read((r) => r.payments.list({ min: 0, max: 9 }))).toHaveLength(3);
    expect(file.read((r) => r.outgoing.list({ states: ['confirmed'] }))).toEqual([]);
    expect(file.read((r) => r.watch.withoutKeyImage())).toHaveLength(3 * WATCHED_BYTES);
  });

  it('recognises its payment, one key image at a time', () => {
    const file = viewOnlyWallet();
    expect(file.write((w) => resolveKeyImages(w, [importedImage(1)]))).toEqual([importedImage(1)]);
    const paid = (): unknown =>
      file
        .read((r) => r.outgoing.list({ states: ['confirmed'] }))
        .map(({ txHash, amountIn, change, fee, height, timestamp }) => ({
          txHash,
          amountIn,
          change,
          fee,
          height,
          timestamp,
        }));
    const facts = { txHash: bytes<Hash>(3), change: 7n, fee: 2n, height: 2, timestamp: 1002 };
    expect(paid()).toEqual([{ ...facts, amountIn: 10n }]);
    file.write((w) => resolveKeyImages(w, [importedImage(2)]));
    expect(paid()).toEqual([{ ...facts, amountIn: 20n }]);
    expect(file.read((r) => r.payments.list({ min: 0, max: 9 }))).toHaveLength(2);
    expect(file.read((r) => r.balances.ofAddresses({ strict: true }))).toMatchObject([{ total: 7n }]);
  });

  it('returns an imported key image as new once only', () => {
    const file = viewOnlyWallet();
    file.write((w) => resolveKeyImages(w, [importedImage(1)]));
    expect(file.write((w) => resolveKeyImages(w, [importedImage(1)]))).toEqual([]);
  });

  it('replaces an unproven key image by a proven one only', () => {
    const file = viewOnlyWallet();
    const word = (fill: number) => ({ publicKey: key(3), keyImage: image(fill), proven: false });
    const known = (): unknown => file.read((r) => r.outputs.byPublicKey(key(3))?.keyImage);
    file.write((w) => resolveKeyImages(w, [word(4)]));
    file.write((w) => resolveKeyImages(w, [word(5)]));
    expect(known()).toEqual(image(4));
    file.write((w) => resolveKeyImages(w, [importedImage(3)]));
    expect(known()).toEqual(image(3));
    file.write((w) => resolveKeyImages(w, [word(4)]));
    expect(known()).toEqual(image(3));
    expect(file.read((r) => r.importedKeyImages.of(key(3)))).toEqual(importedImage(3));
  });

  it('sets the key image of an output that is found later, or again', () => {
    const file = open();
    file.write((w) => {
      resolveKeyImages(w, [importedImage(1)]);
      w.applyPage(page(1, [received(1, 1)], [output(1, 1)]));
    });
    expect(file.read((r) => r.outputs.byKeyImage(image(1))?.publicKey)).toEqual(key(1));
    file.write((w) => clearChain(w, { hard: true }));
    expect(file.read((r) => r.outputs.byKeyImage(image(1)))).toBeUndefined();
    file.write((w) => w.applyPage(page(1, [received(1, 1)], [output(1, 1)])));
    expect(file.read((r) => r.outputs.byKeyImage(image(1))?.publicKey)).toEqual(key(1));
  });

  it('recognises a payment in a block that was scanned before the key image was imported', () => {
    const file = open();
    file.write((w) => {
      w.applyPage(page(1, [received(1, 1)], [output(1, 1)]));
      resolveKeyImages(w, [importedImage(1)]);
      w.applyPage(page(2, [received(3, 2, [image(1)])], [output(3, 2)]));
    });
    expect(file.read((r) => r.outgoing.byHash(bytes<Hash>(3))?.amountIn)).toBe(10n);
  });

  it('replaces an unknown spending transaction by the one that it finds', () => {
    const file = viewOnlyWallet();
    file.write((w) => {
      w.outputs.setKeyImage(key(1), image(1));
      w.outputs.markSpentByUnknown(output(1, 1), true);
      recogniseSpends(w, [image(1)]);
    });
    expect(file.read((r) => r.outputs.byKeyImage(image(1))?.spentBy)).toEqual(bytes<Hash>(3));
  });

  it('does not change a payment that it made itself', () => {
    const file = viewOnlyWallet();
    file.write((w) => {
      w.outgoing.insert({
        txHash: bytes<Hash>(3),
        state: 'pending',
        account: 0,
        fromIndices: [0],
        amountIn: amount(20n),
        fee: amount(2n),
        change: amount(7n),
        unlockTime: 0n,
        timestamp: 5,
        blob: Uint8Array.of(1),
        destinations: [{ address: 'payee', amount: amount(11n) }],
      });
      resolveKeyImages(w, [importedImage(1)]);
    });
    expect(file.read((r) => r.outgoing.byHash(bytes<Hash>(3)))).toMatchObject({
      state: 'confirmed',
      amountIn: 20n,
      destinations: [{ address: 'payee', amount: 11n }],
    });
  });
});

describe('outputs that were imported into an offline wallet', () => {
  const imported = (fill: number, facts: Partial<ImportedOutput> = {}): ImportedOutput => ({
    publicKey: key(fill),
    derivationKey: key(200),
    outputIndex: 1,
    globalIndex: fill,
    amount: amount(5n),
    rct: true,
    subaddress: { major: 0, minor: fill },
    keyImage: image(fill),
    spent: false,
    frozen: false,
    requested: true,
    ...facts,
  });

  it('keep their order, and are the only outputs', () => {
    const file = open();
    const list = [imported(0), imported(1, { spent: true }), imported(2, { frozen: true })];
    file.write((w) => w.imported.put(0, list, false));
    expect(file.read((r) => r.imported.list())).toEqual(list);
    expect(file.read((r) => r.imported.balances())).toEqual([
      { subaddress: { major: 0, minor: 0 }, total: 5n, unspentCount: 1 },
    ]);
    expect(file.read((r) => r.imported.usedAmong(0, [3, 0, 2]))).toEqual([0, 2]);
    expect(file.read((r) => r.imported.usedAmong(1, [0, 1, 2]))).toEqual([]);
  });

  it('are read from a place on, and from the first one that was requested', () => {
    const file = open();
    expect(
      file.read((r) => [r.imported.count(), r.imported.firstRequested(), r.imported.keyImages(9)]),
    ).toEqual([0, undefined, []]);
    const list = [0, 1, 2, 3].map((fill) => imported(fill, { requested: fill > 1 }));
    file.write((w) => w.imported.put(0, list, false));
    file.read((r) => {
      expect(r.imported.count()).toBe(4);
      expect(r.imported.list(1, 2)).toEqual(list.slice(1, 3));
      expect(r.imported.list(2)).toEqual(list.slice(2));
      expect(r.imported.list(4, 1)).toEqual([]);
      expect(r.imported.keyImages(3)).toEqual([image(0), image(1), image(2)]);
      expect(r.imported.firstRequested()).toBe(2);
    });
    file.write((w) => w.imported.clearRequests());
    expect(file.read((r) => r.imported.firstRequested())).toBeUndefined();
  });

  it('have a sum for each address, exact up to any amount', () => {
    const file = open();
    const most = 2n ** 63n - 1n;
    const at = (fill: number, major: number, minor: number, value: bigint): ImportedOutput =>
      imported(fill, { subaddress: { major, minor }, amount: amount(value) });
    file.write((w) =>
      w.imported.put(
        0,
        [at(0, 1, 7, most), at(1, 0, 2, 3n), at(2, 1, 7, most), at(3, 1, 1, 2n ** 32n), at(4, 1, 7, 1n)],
        false,
      ),
    );
    const ofFirst = { subaddress: { major: 0, minor: 2 }, total: 3n, unspentCount: 1 };
    const ofSecond = [
      { subaddress: { major: 1, minor: 1 }, total: 2n ** 32n, unspentCount: 1 },
      { subaddress: { major: 1, minor: 7 }, total: 2n ** 64n - 1n, unspentCount: 3 },
    ];
    expect(file.read((r) => r.imported.balances())).toEqual([ofFirst, ...ofSecond]);
    expect(file.read((r) => r.imported.balances(1))).toEqual(ofSecond);
    expect(file.read((r) => r.imported.balances(2))).toEqual([]);
  });

  it('are replaced at their positions, or from a position on', () => {
    const file = open();
    file.write((w) => {
      w.imported.put(0, [imported(0), imported(1), imported(2)], false);
      w.imported.put(1, [imported(7)], false);
    });
    const keys = (): unknown => file.read((r) => r.imported.list()).map(({ globalIndex }) => globalIndex);
    expect(keys()).toEqual([0, 7, 2]);
    file.write((w) => w.imported.put(1, [imported(8)], true));
    expect(keys()).toEqual([0, 8]);
    file.write((w) => w.imported.clearRequests());
    expect(file.read((r) => r.imported.list()).some(({ requested }) => requested)).toBe(false);
  });

  it('are deleted once the wallet reads the chain itself', () => {
    const file = open();
    file.write((w) => {
      w.imported.put(0, [imported(0)], false);
      w.applyPage(page(1, [], []));
    });
    expect(file.read((r) => r.imported.list())).toEqual([]);
  });
});
