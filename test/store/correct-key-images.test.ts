import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../src/monero/crypto/types.js';
import { correctKeyImages, type KeyImageCorrection } from '../../src/store/correct-key-images.js';
import { UNKNOWN_TX } from '../../src/store/tables/output-row.js';
import { WalletStore } from '../../src/store/wallet-store.js';
import { toHex } from '../../src/util/bytes.js';
import { unminedPayment, paymentHash } from '../support/wallets/unmined-payment.js';
import { bytes, output, page, received, unnamed } from './fixtures.js';

const keyOf = (n: number): PublicKey => bytes(100 + n);
const imageOf = (n: number): KeyImage => bytes(1000 + n);
const own = (n: number, image: number) => ({ publicKey: keyOf(n), keyImage: imageOf(image) });

let store: WalletStore;

beforeEach(() => {
  store = WalletStore.create(':memory:', new Uint8Array(32), (w) => w.accounts.create());
  const numbers = [1, 2, 3, 4];
  store.addPage(
    page(0, 20, {
      received: numbers.map((n) => received(n, n)),
      outputs: numbers.map((n) => unnamed(output(n, n, 50n))),
    }),
  );
});

/** Gives outputs key images by their places. @param images by the number of the output. */
const place = (...images: readonly (number | undefined)[]): void =>
  store.write((w) => {
    images.forEach((image, i) => {
      if (image === undefined) return;
      w.importedKeyImages.set({ ...own(i + 1, image), proven: false, placed: true });
      w.outputs.setKeyImage(keyOf(i + 1), imageOf(image));
    });
  });

const correct = (correction: Partial<KeyImageCorrection>): void =>
  store.write((w) => correctKeyImages(w, { moved: [], found: [], forgotten: [], ...correction }));

/** Number of the key image of each output, whether it is in doubt, and the spending transaction in hex. */
const known = (): unknown[] =>
  store.read((r) =>
    r.outputs
      .inOrder()
      .map(({ publicKey, keyImage, spentBy }) => [
        [1, 2, 3, 4, 5].find((n) => keyImage && toHex(keyImage) === toHex(imageOf(n))),
        r.importedKeyImages.of(publicKey)?.placed,
        spentBy && toHex(spentBy),
      ]),
  );

describe('a key image that another one replaces', () => {
  it('stays in doubt by an output that has lost its own', () => {
    place(2, 1, 3);
    correct({ moved: [own(1, 1)] });
    expect(known()).toEqual([
      [1, undefined, undefined],
      [2, true, undefined],
      [3, true, undefined],
      [undefined, undefined, undefined],
    ]);
  });

  it('keeps the spend by a transaction that the wallet has not seen, and the reservation of an unmined payment', () => {
    place(2, 1, 4, 3);
    store.write((w) => {
      const [first, , third] = w.outputs.inOrder();
      if (first !== undefined) w.outputs.markSpentByUnknown(first, true);
      if (third !== undefined) w.prepare(unminedPayment(1), [third], []);
    });
    correct({ moved: [own(1, 1), own(3, 3)] });
    expect(known()).toEqual([
      [1, undefined, undefined],
      [2, true, toHex(UNKNOWN_TX)],
      [3, undefined, undefined],
      [4, true, toHex(paymentHash(1))],
    ]);
  });

  it('is lost where no output has lost its own', () => {
    place(2, undefined);
    correct({ found: [{ ...own(1, 1), txHash: bytes<Hash>(9) }] });
    expect(known().slice(0, 2)).toEqual([
      [1, undefined, undefined],
      [undefined, undefined, undefined],
    ]);
  });
});

describe('a forgotten key image', () => {
  it('makes its output one without a key image, unless another one has come there', () => {
    place(5, 1, 2);
    correct({ moved: [own(2, 2)], forgotten: [own(1, 5), own(2, 1)] });
    expect(known()).toEqual([
      [undefined, undefined, undefined],
      [2, undefined, undefined],
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
    ]);
  });
});
