import { describe, expect, it, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { loadCurve } from '../../../../src/monero/crypto/curve/load-curve.js';
import type { PublicKey } from '../../../../src/monero/crypto/types.js';
import { subaddressSpendPublicKey } from '../../../../src/monero/cryptonote/subaddress-keys.js';
import { bytes32, fixedBytes, fromHex, toHex } from '../../../../src/util/bytes.js';
import { openExport } from '../../../../src/monero/wallet/exchange/export-blob.js';
import { readOutputExport } from '../../../../src/monero/wallet/exchange/exported-outputs.js';
import {
  candidatesOfEach,
  verifyKeyImage,
  keyImageOf,
  keyImagesOf,
  knownDerivations,
  signKeyImage,
  signKeyImages,
  type LocatedOutput,
  type SignedKeyImage,
} from '../../../../src/monero/wallet/scan/key-images.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { exportKeys, spendPublicKey, spendSecret, vectors, viewSecret } from '../cold-vectors.js';
import { candidatesOf } from '../../../support/chain/candidates-of.js';

const rng = seededRng('key images');
const keys = { viewSecret, spendSecret };
const { outputs } = readOutputExport(
  openExport('outputs', fromHex(vectors.outputs), exportKeys).subarray(64),
);
const primary = { major: 0, minor: 0 };

const locate = (output: (typeof outputs)[number]): LocatedOutput => {
  const [candidate] = candidatesOf(output, viewSecret);
  if (candidate === undefined) throw new Error('no candidate');
  expect(toHex(candidate.spendPublicKey)).toBe(toHex(spendPublicKey));
  return { ...output, derivationKey: candidate.derivationKey, subaddress: primary };
};

const theirs: SignedKeyImage[] = vectors.signedKeyImages.map(({ keyImage, signature }) => ({
  keyImage: bytes32(fromHex(keyImage), 'KeyImage'),
  signature: fixedBytes(fromHex(signature), 64, 'Signature'),
}));

describe("the reference's outputs", () => {
  it("have the reference's key images", () => {
    expect(outputs.map((output) => toHex(keyImageOf(locate(output), keys)))).toEqual(
      vectors.known.map(({ keyImage }) => keyImage),
    );
  });

  it('have proven key images', () => {
    outputs.forEach(({ publicKey }, i) => {
      const [given, other] = [theirs[i], theirs[(i + 1) % theirs.length]];
      if (given === undefined || other === undefined) throw new Error('no key image');
      expect(verifyKeyImage(publicKey, given)).toBe('proven');
      expect(verifyKeyImage(publicKey, other)).toBe('unproven');
    });
  });
});

describe('a batch of outputs', () => {
  const located = outputs.map(locate);

  it('has the key images of each, and signatures that prove them', () => {
    const images = located.map((output) => toHex(keyImageOf(output, keys)));
    expect(keyImagesOf(located, keys).map(toHex)).toEqual(images);
    const signed = signKeyImages(located, keys, rng);
    expect(signed.map(({ keyImage }) => toHex(keyImage))).toEqual(images);
    expect(signed.map((one, i) => verifyKeyImage((located[i] as LocatedOutput).publicKey, one))).toEqual(
      located.map(() => 'proven'),
    );
  });

  it('has the same key images where some derivations are known, and leaves these as they are', () => {
    const derivationOf = (output: (typeof outputs)[number]) =>
      candidatesOf(output, viewSecret)[0]?.derivation;
    const [known, other] = [derivationOf, derivationOf].map((of) => outputs.map(of));
    const some = located.map((output, i) => {
      const derivation = known?.[i];
      return derivation === undefined || i % 2 === 0 ? output : { ...output, derivation };
    });
    expect(knownDerivations(some)).toHaveLength(Math.floor(outputs.length / 2));
    expect(keyImagesOf(some, keys)).toEqual(keyImagesOf(located, keys));
    expect(known).toEqual(other);
    const [first] = located;
    const derivation = known?.[1];
    if (first === undefined || derivation === undefined) throw new Error('two outputs');
    expect(() => keyImagesOf([{ ...first, derivation }], keys)).toThrow(RangeError);
  });

  it('has the candidates of each, although some keys are no points', () => {
    const none = fromHex(`02${'00'.repeat(31)}`) as PublicKey;
    const hints = outputs.flatMap((output) => [
      output,
      { ...output, txPublicKey: none },
      { ...output, outputIndex: 0, additionalKeys: [none] },
      { ...output, outputIndex: 0, additionalKeys: [output.txPublicKey] },
      { ...output, publicKey: none },
    ]);
    for (const some of [outputs, hints]) {
      const each = some.map((hint) => candidatesOf(hint, viewSecret));
      expect(candidatesOfEach(some, viewSecret)).toEqual(each);
    }
    expect(candidatesOfEach(hints, viewSecret).map(({ length }) => length)).toEqual(
      outputs.flatMap(() => [1, 0, 1, 2, 0]),
    );
  });

  it('has no candidates where the curve arithmetic fails: the error is thrown', () => {
    const multiply = jest.spyOn(loadCurve(), 'multiplyEach').mockImplementation(() => {
      throw new Error('out of memory');
    });
    try {
      expect(() => candidatesOfEach(outputs, viewSecret)).toThrow('out of memory');
    } finally {
      multiply.mockRestore();
    }
  });

  it('is refused if one does not belong to the wallet', () => {
    const foreign = located.map((output, i) => (i === 1 ? { ...output, outputIndex: 7 } : output));
    expect(() => keyImagesOf(foreign, keys)).toThrow(RangeError);
    expect(() => signKeyImages(foreign, keys, rng)).toThrow(RangeError);
  });
});

describe('a key image of the wallet', () => {
  const [first] = outputs;
  if (first === undefined) throw new Error('no output');

  it('is proven for its output only', () => {
    const signed = signKeyImage(locate(first), keys, rng);
    expect(toHex(signed.keyImage)).toBe(vectors.known[0]?.keyImage);
    expect(verifyKeyImage(first.publicKey, signed)).toBe('proven');
    const [, second] = outputs;
    expect(verifyKeyImage(second?.publicKey ?? first.publicKey, signed)).toBe('unproven');
  });

  it('is no longer proven once any bit changes', () => {
    const signed = signKeyImage(locate(first), keys, rng);
    fc.assert(
      fc.property(fc.nat(95), fc.nat(7), (place, bit) => {
        const image = Uint8Array.from(signed.keyImage) as typeof signed.keyImage;
        const signature = Uint8Array.from(signed.signature) as typeof signed.signature;
        if (place < 32) image[place] = (image[place] ?? 0) ^ (1 << bit);
        else signature[place - 32] = (signature[place - 32] ?? 0) ^ (1 << bit);
        expect(verifyKeyImage(first.publicKey, { keyImage: image, signature })).not.toBe('proven');
      }),
      { numRuns: 20 },
    );
  });

  it('cannot be made with other keys, or for another address', () => {
    const located = locate(first);
    expect(() => keyImageOf(located, { viewSecret, spendSecret: viewSecret })).toThrow(RangeError);
    expect(() => keyImageOf({ ...located, subaddress: { major: 0, minor: 1 } }, keys)).toThrow(RangeError);
    expect(() => keyImageOf({ ...located, outputIndex: 1 }, keys)).toThrow(RangeError);
  });
});

describe('the keys that may open an output', () => {
  const [first] = outputs;
  if (first === undefined) throw new Error('no output');
  const stranger = subaddressSpendPublicKey(spendPublicKey, viewSecret, { major: 5, minor: 5 });

  it("are the transaction's and its own additional one", () => {
    const candidates = candidatesOf(
      { ...first, outputIndex: 1, additionalKeys: [stranger, first.txPublicKey, stranger] },
      viewSecret,
    );
    expect(candidates.map(({ derivationKey }) => derivationKey)).toEqual([
      first.txPublicKey,
      first.txPublicKey,
    ]);
  });

  test('are skipped when they are not points', () => {
    const noPoint = new Uint8Array(32).fill(0xff) as PublicKey;
    expect(candidatesOf({ ...first, txPublicKey: noPoint }, viewSecret)).toEqual([]);
    expect(candidatesOf({ ...first, publicKey: noPoint }, viewSecret)).toEqual([]);
  });
});

describe('a key image that is not in the prime-order subgroup', () => {
  test.each([
    ['small order', `00`.padEnd(64, '0')],
    ['not a point', 'ff'.repeat(32)],
  ])('of %s lies outside', (_, hex) => {
    const [given] = theirs;
    if (given === undefined) throw new Error('no key image');
    const image = bytes32<'KeyImage'>(fromHex(hex), 'KeyImage');
    expect(verifyKeyImage(outputs[0]?.publicKey ?? spendPublicKey, { ...given, keyImage: image })).toBe(
      'outside',
    );
  });
});
