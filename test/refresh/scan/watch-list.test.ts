import { describe, expect, it } from '@jest/globals';
import type { KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import type { ParsedTxs } from '../../../src/monero/wallet/scan/block-page.js';
import { packKeyImages } from '../../../src/refresh/scan/scanner-state.js';
import { WatchList } from '../../../src/refresh/scan/watch-list.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { bytes, output, received, unnamed } from '../../store/fixtures.js';

const image = bytes<KeyImage>(7);
const publicKey = bytes<PublicKey>(8);

/** An output on the same key as all others here. */
const onKey = (tx: number, height: number, value: bigint, named = true): OwnedOutput => {
  const found = output(tx, height, value, { publicKey, keyImage: image });
  return named ? found : unnamed(found);
};

/** A transaction with one input. */
const spending = (keyImage: KeyImage): ParsedTxs =>
  ({
    eachKeyImage: (_: number, take: (all: Uint8Array, at: number) => void) => take(keyImage, 0),
  }) as ParsedTxs;

const none = new Uint8Array(0);
const fresh = (): WatchList =>
  new WatchList({ withKeyImage: none, withoutKeyImage: none, importedKeyImages: none });
const isSpent = (list: WatchList): boolean => list.spentBy(spending(image), 0).length > 0;

describe('outputs on one key', () => {
  it.each([
    ['highest first', [4, 3, 2, 1]],
    ['lowest first', [1, 2, 3, 4]],
    ['in another order', [2, 4, 1, 3]],
  ])('are watched while a reorganisation leaves any of them, %s', (_, heights) => {
    const list = fresh();
    for (const height of [1, 2, 3, 4]) list.add(onKey(height, height, BigInt(height)));
    for (const height of heights) {
      expect(isSpent(list)).toBe(true);
      list.detach(height, height);
    }
    expect(isSpent(list)).toBe(false);
    list.add(onKey(5, 2, 20n));
    expect(isSpent(list)).toBe(true);
  });

  it('are watched as before where a reorganisation leaves those above it, and finds one again', () => {
    const list = fresh();
    list.add(onKey(1, 3, 10n));
    list.add(onKey(2, 7, 15n));
    list.detach(2, 4);
    list.add(onKey(1, 4, 10n));
    list.detach(7, 7);
    expect(isSpent(list)).toBe(true);
    list.detach(4, 4);
    expect(isSpent(list)).toBe(false);
  });

  it('are watched so once their key image is imported', () => {
    const list = fresh();
    for (const [tx, value] of [
      [1, 10n],
      [2, 15n],
    ] as const)
      list.add(onKey(tx, tx, value, false));
    expect(isSpent(list)).toBe(false);
    list.importKeyImages([{ publicKey, keyImage: image }]);
    for (const height of [2, 1]) {
      expect(isSpent(list)).toBe(true);
      list.detach(height, Infinity);
    }
    expect(isSpent(list)).toBe(false);
  });

  it.each([
    ['with', true],
    ['without', false],
  ])('are known from the store %s their key image, the burnt ones too', (_, named) => {
    const file = WalletStore.create(':memory:', new Uint8Array(32));
    file.write((w) => {
      for (const [tx, value] of [
        [1, 10n],
        [2, 15n],
        [3, 12n],
      ] as const) {
        w.payments.add(received(tx, tx));
        w.outputs.add(onKey(tx, tx, value, named));
      }
    });
    const list = new WatchList(
      file.read((r) => ({
        withKeyImage: r.watch.withKeyImage(0),
        withoutKeyImage: r.watch.withoutKeyImage(),
        reused: {
          withKeyImage: r.watch.burntWithKeyImage(),
          withoutKeyImage: r.watch.burntWithoutKeyImage(),
        },
        importedKeyImages: packKeyImages(named ? [] : [{ publicKey, keyImage: image }]),
      })),
    );
    file.close();
    for (const height of [3, 1, 2]) {
      expect(isSpent(list)).toBe(true);
      list.detach(height, height);
    }
    expect(isSpent(list)).toBe(false);
  });
});

describe('a watch list', () => {
  const otherImage = bytes<KeyImage>(17);

  /** A transaction with several inputs. */
  const spendingAll = (...images: readonly KeyImage[]): ParsedTxs => {
    const all = new Uint8Array(images.flatMap((one) => [...one]));
    return {
      eachKeyImage: (_: number, take: (all: Uint8Array, at: number) => void) =>
        images.forEach((_image, i) => take(all, 32 * i)),
    } as ParsedTxs;
  };

  it('finds every spent output of a transaction, in the order of its inputs', () => {
    const list = fresh();
    list.add(output(1, 1, 10n, { keyImage: image }));
    list.add(output(2, 2, 20n, { keyImage: otherImage, subaddress: { major: 3, minor: 4 } }));
    const found = list.spentBy(spendingAll(otherImage, bytes(99), image), 0);
    expect(found).toEqual([
      { amount: 20n, height: 2, subaddress: { major: 3, minor: 4 }, keyImage: otherImage },
      { amount: 10n, height: 1, subaddress: { major: 0, minor: 0 }, keyImage: image },
    ]);
  });

  it('returns copies of key images: the bytes of a page are not kept', () => {
    const list = fresh();
    list.add(output(1, 1, 10n, { keyImage: image }));
    const [found] = list.spentBy(spending(image), 0);
    expect(found?.keyImage).toEqual(image);
    expect(found?.keyImage.buffer).not.toBe(image.buffer);
  });

  it('finds nothing while it is empty', () => {
    expect(fresh().spentBy(spending(image), 0)).toEqual([]);
  });

  it('recognises an output that is found after its key image was imported', () => {
    const list = fresh();
    list.importKeyImages([{ publicKey, keyImage: image }]);
    const found = unnamed(output(1, 1, 10n, { publicKey }));
    const withImage = list.withKeyImage(found);
    expect(withImage.keyImage).toEqual(image);
    list.add({ ...found, ...withImage });
    expect(list.spentBy(spending(image), 0)).toMatchObject([{ amount: 10n }]);
  });

  it('keeps the own key image of an output', () => {
    const list = fresh();
    list.importKeyImages([{ publicKey, keyImage: otherImage }]);
    expect(list.withKeyImage(output(1, 1, 10n, { publicKey, keyImage: image })).keyImage).toBe(image);
  });

  it('forgets outputs without key image that a reorganisation undoes', () => {
    const list = fresh();
    list.add(onKey(1, 5, 10n, false));
    list.detach(5, Infinity);
    list.importKeyImages([{ publicKey, keyImage: image }]);
    expect(isSpent(list)).toBe(false);
  });
});
