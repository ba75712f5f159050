import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KeyImage } from '../../../src/crypto/types.js';
import type { WalletReader } from '../../../src/store/wallet-reader.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { ownedOutput } from '../../wallet/fixtures.js';
import { received } from '../fixtures.js';

const file = WalletStore.create(':memory:', new Uint8Array(32));
afterAll(() => file.close());

const facts = fc.record({
  /** State of a key image: unknown, claimed by a set of transactions, or proven by a signature. */
  keyImage: fc.constantFrom('unknown', 'claimed', 'proven', 'proven'),
  plain: fc.boolean(),
  frozen: fc.boolean(),
  /** Key shared with others, which makes the largest of them count; 0: a key of its own. */
  key: fc.nat(2),
});
type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never;

function store(held: readonly Facts[]): void {
  file.write((w) => {
    w.clearChain({ hard: true });
    const shared = ownedOutput(1n).publicKey;
    held.forEach(({ keyImage, plain, frozen, key }, i) => {
      const made = ownedOutput(BigInt(100 + ((i * 37) % 11)), { rct: !plain, height: 10 + i });
      const publicKey = key === 1 ? shared : made.publicKey;
      const output = { ...made, publicKey };
      w.payments.add({ ...received(0, output.height), txHash: output.txHash });
      if (keyImage !== 'unknown') {
        const image = publicKey as Uint8Array as KeyImage;
        w.importedKeyImages.set({ publicKey, keyImage: image, proven: keyImage === 'proven' });
        w.outputs.setKeyImage(publicKey, image);
      }
      w.outputs.add(output);
      if (frozen) w.outputs.setFrozen(output, true);
    });
  });
}

/** Runs checks on many wallets. */
function ofWallets(check: (r: WalletReader) => void): void {
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 10 }), (held) => {
      store(held);
      file.read(check);
    }),
  );
}

describe('outputs of a store', () => {
  it('have a first one without a key image, or without a proven one', () => {
    ofWallets((r) => {
      const outputs = r.outputs.inOrder();
      const unknown = outputs.findIndex(({ keyImage }) => keyImage === undefined);
      const unproven = outputs.findIndex(
        ({ keyImage, publicKey }) =>
          keyImage === undefined || r.importedKeyImages.of(publicKey)?.proven !== true,
      );
      const placeOf = (proven: boolean): number => r.outputs.firstWithoutKeyImage({ proven }) ?? -1;
      expect([placeOf(false), placeOf(true)]).toEqual([unknown, unproven]);
    });
  });

  it('are listed with their key images, and those from before RingCT alone', () => {
    ofWallets((r) => {
      const outputs = r.outputs.inOrder();
      const withKeyImage = outputs.filter(({ keyImage }) => keyImage !== undefined);
      const states = r.outputs.keyImageStates();
      expect(states).toHaveLength(withKeyImage.length);
      for (const state of states) expect(withKeyImage).toContainEqual(expect.objectContaining(state));
      const plain = outputs.filter(({ rct, frozen }) => !rct && !frozen);
      expect(r.outputs.unspentPlain()).toHaveLength(plain.length);
      expect(plain).toEqual(expect.arrayContaining(r.outputs.unspentPlain()));
    });
  });
});
