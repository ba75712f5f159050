import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Hash, KeyImage, SecretKey } from '../../../src/monero/crypto/types.js';
import type { CarrotFacts } from '../../../src/monero/wallet/scan/found-output.js';
import type { WalletReader } from '../../../src/store/wallet-reader.js';
import type { OutputPart, OutputRange } from '../../../src/store/tables/outputs.js';
import { isUnknownSpend } from '../../../src/store/tables/output-row.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { ownedOutput } from '../../monero/wallet/fixtures.js';
import { received } from '../fixtures.js';
import { clearChain } from '../../support/chain/cleared-chain.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

const file = WalletStore.create(':memory:', new Uint8Array(32));
afterAll(() => file.close());

const facts = fc.record({
  /** State of a key image: unknown, claimed by a set of transactions, or proven by a signature. */
  keyImage: fc.constantFrom('unknown', 'claimed', 'proven', 'proven'),
  plain: fc.boolean(),
  frozen: fc.boolean(),
  /** Whether an output from before RingCT has the height and the global index of the one before it. */
  tied: fc.boolean(),
  /** Key shared with others, which makes the largest of them count; 0: a key of its own. */
  key: fc.nat(2),
  /** Whether the output has the form of the fork. */
  carrot: fc.boolean(),
});
type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never;

const secret = (n: number): SecretKey => new Uint8Array(32).fill(n) as SecretKey;

const keptFacts = (i: number): CarrotFacts => ({
  extensionG: secret(2 * i),
  extensionT: secret(2 * i + 1),
  context: new Uint8Array(33).fill(i),
});

function store(held: readonly Facts[]): void {
  file.write((w) => {
    clearChain(w, { hard: true });
    const shared = ownedOutput(1n).publicKey;
    let place = 0;
    held.forEach(({ keyImage, plain, frozen, tied, key, carrot }, i) => {
      if (!tied || !plain) place = i;
      const made = ownedOutput(BigInt(100 + ((i * 37) % 11)), {
        rct: !plain,
        height: 10 + (place >> 1),
        globalIndex: place,
        // Outputs of one place are in the order of their transactions' hashes, not in that in which they were found.
        txHash: Uint8Array.from({ length: 32 }, () => 0xff - i) as Hash,
      });
      const publicKey = key === 1 ? shared : made.publicKey;
      const output = {
        ...{ ...made, publicKey },
        ...(carrot ? { carrot: keptFacts(i) } : {}),
      };
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

/** Reads a range in parts of at most a number of outputs. */
function partsOf<Facts>(
  read: (range: OutputRange, most: number) => OutputPart<Facts>,
  range: OutputRange,
  most: number,
): (readonly Facts[])[] {
  const { page, rest } = read(range, most);
  return [page, ...(rest === undefined ? [] : partsOf(read, rest, most))];
}

/** Runs checks on many wallets. */
function ofWallets(check: (r: WalletReader) => void): void {
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 10 }), (held) => {
      store(held);
      file.read(check);
    }),
    { numRuns: randomRuns(100) },
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

  it('are read in parts of any size, in the same order, unless one has the place of another', () => {
    ofWallets((r) => {
      const outputs = r.outputs.inOrder();
      const keys = outputs.map(({ publicKey }) => publicKey);
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
          const lists = [
            partsOf((range, most) => r.outputs.importFacts(range, most), { first, count }, rows),
            partsOf((range, most) => r.outputs.exportFacts(range, most), { first, count }, rows),
          ];
          for (const parts of lists) {
            const wanted = keys.slice(first, first + count);
            expect(parts.flat().map(({ publicKey }) => Uint8Array.from(publicKey))).toEqual(wanted);
            if (isMoved) expect(parts).toHaveLength(1);
            if (parts.length > 1)
              expect(parts.map(({ length }) => length)).toEqual(
                parts.map((_, i) => (i < parts.length - 1 ? rows : wanted.length - rows * i)),
              );
          }
        }
    });
  });

  it('have the facts that an import of key images needs, in the same order', () => {
    ofWallets((r) => {
      const facts = r.outputs
        .inOrder()
        .map(({ publicKey, amount, height, frozen, spentBy, keyImage, carrot }) => ({
          ...{ publicKey, amount, height, frozen, isSpent: spentBy !== undefined },
          isSpentByUnknown: isUnknownSpend(spentBy),
          isProven: r.importedKeyImages.isProven(publicKey),
          isCarrot: carrot !== undefined,
          ...(keyImage === undefined ? {} : { keyImage }),
        }));
      expect(r.outputs.importFacts()).toEqual({ page: facts, rest: undefined });
      expect(r.outputs.importFacts({ first: 1, count: 2 }).page).toEqual(facts.slice(1, 3));
    });
  });

  it('have the facts that an export of outputs needs, in the same order', () => {
    ofWallets((r) => {
      const facts = r.outputs.inOrder().map((output) => {
        const { publicKey, derivationKey, outputIndex, globalIndex, amount, subaddress } = output;
        return {
          ...{ publicKey, derivationKey, outputIndex, globalIndex, amount, subaddress },
          ...{ rct: output.rct, frozen: output.frozen },
          isSpent: output.spentBy !== undefined,
          hasKeyImage: output.keyImage !== undefined,
          isProven: r.importedKeyImages.isProven(publicKey),
          ...(output.carrot && { carrot: output.carrot }),
        };
      });
      expect(r.outputs.exportFacts()).toEqual({ page: facts, rest: undefined });
      expect(r.outputs.exportFacts({ first: 1, count: 2 }).page).toEqual(facts.slice(1, 3));
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
