import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KeyImage } from '../../../src/monero/crypto/types.js';
import type { WalletReader } from '../../../src/store/wallet-reader.js';
import type { OutputRange } from '../../../src/store/tables/outputs.js';
import { isUnknownSpend } from '../../../src/store/tables/output-row.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { OwnedOutput } from '../../../src/monero/wallet/model/records.js';
import { ownedOutput } from '../../monero/wallet/fixtures.js';
import { received } from '../fixtures.js';
import { clearChain } from '../../support/cleared-chain.js';

const file = WalletStore.create(':memory:', new Uint8Array(32));
afterAll(() => file.close());

const facts = fc.record({
  /** State of a key image: unknown, claimed by a set of transactions, or proven by a signature. */
  keyImage: fc.constantFrom('unknown', 'claimed', 'proven', 'proven'),
  plain: fc.boolean(),
  frozen: fc.boolean(),
  /** Whether it has the height and the global index of the output before it, as outputs from before RingCT may. */
  tied: fc.boolean(),
  /** Key shared with others, which makes the largest of them count; 0: a key of its own. */
  key: fc.nat(2),
});
type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never;

function store(held: readonly Facts[]): void {
  file.write((w) => {
    clearChain(w, { hard: true });
    const shared = ownedOutput(1n).publicKey;
    let place = 0;
    held.forEach(({ keyImage, plain, frozen, tied, key }, i) => {
      if (!tied) place = i;
      const made = ownedOutput(BigInt(100 + ((i * 37) % 11)), {
        rct: !plain,
        height: 10 + (place >> 1),
        globalIndex: place,
      });
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

/** Reads a range in pages. */
function pagesOf(r: WalletReader, range: OutputRange, rows: number): OwnedOutput[][] {
  const division = r.outputs.divide(range, rows);
  if (division === undefined) return [r.outputs.inOrder(range)];
  return [r.outputs.inOrder(division.page), ...pagesOf(r, division.rest, rows)];
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
      expect(outputs.map((output) => r.outputs.placeOf(output))).toEqual(outputs.map((_, place) => place));
      const unknown = outputs.findIndex(({ keyImage }) => keyImage === undefined);
      const unproven = outputs.findIndex(
        ({ keyImage, publicKey }) =>
          keyImage === undefined || r.importedKeyImages.of(publicKey)?.proven !== true,
      );
      const placeOf = (proven: boolean): number => r.outputs.firstWithoutKeyImage({ proven }) ?? -1;
      expect([placeOf(false), placeOf(true)]).toEqual([unknown, unproven]);
    });
  });

  it('are read in pages of any size, in the same order, unless one has the place of another', () => {
    ofWallets((r) => {
      const outputs = r.outputs.inOrder();
      const isMoved = outputs.some((output, i) => {
        const { height, globalIndex } = outputs[i - 1] ?? output;
        return output.height < height || (output.height === height && output.globalIndex < globalIndex);
      });
      for (const rows of [1, 3])
        for (const [first, count] of [
          [0, Infinity],
          [0, 4],
          [2, Infinity],
          [1, 5],
          [outputs.length, 2],
        ] as const) {
          const pages = pagesOf(r, { first, count }, rows);
          expect(pages.flat()).toEqual(outputs.slice(first, first + count));
          if (pages.length > 1)
            expect(pages.map(({ length }) => length)).toEqual(expect.arrayContaining([rows]));
          if (isMoved) expect(pages).toHaveLength(1);
        }
    });
  });

  it('have the facts that an import of key images needs, in the same order', () => {
    ofWallets((r) => {
      const facts = r.outputs.inOrder().map(({ publicKey, amount, height, frozen, spentBy, keyImage }) => ({
        ...{ publicKey, amount, height, frozen, isSpent: spentBy !== undefined },
        isSpentByUnknown: isUnknownSpend(spentBy),
        isProven: r.importedKeyImages.isProven(publicKey),
        ...(keyImage === undefined ? {} : { keyImage }),
      }));
      expect(r.outputs.importFacts()).toEqual(facts);
      expect(r.outputs.importFacts({ first: 1, count: 2 })).toEqual(facts.slice(1, 3));
    });
  });

  it('are listed with their key images, and those from before RingCT alone', () => {
    ofWallets((r) => {
      const outputs = r.outputs.inOrder();
      const withKeyImage = outputs.filter(({ keyImage }) => keyImage !== undefined);
      const states = r.outputs.keyImageStates();
      expect(states).toHaveLength(withKeyImage.length);
      for (const { number, ...state } of states) {
        expect(withKeyImage).toContainEqual(expect.objectContaining(state));
        expect(r.outputs.keyImageStates(number)).toEqual(states.filter((other) => other.number > number));
      }
      expect(r.outputs.keyImageStates(0, 2)).toEqual(states.slice(0, 2));
      const plain = outputs.filter(({ rct, frozen }) => !rct && !frozen);
      expect(r.outputs.unspentPlain()).toHaveLength(plain.length);
      expect(plain).toEqual(expect.arrayContaining(r.outputs.unspentPlain()));
    });
  });
});
