import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  derivationToScalar,
  derivePublicKey,
  deriveSecretKey,
  deriveSubaddressPublicKey,
  keyDerivation,
  keyImage,
  publicKeyOf,
  randomSecretKey,
  viewTag,
} from '../../../src/monero/crypto/derivation.js';
import { decompress } from '../../../src/monero/crypto/curve/point.js';
import { ORDER, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import { bytes32, concatBytes, toHex } from '../../../src/util/bytes.js';
import {
  derivation,
  NOT_CANONICAL,
  publicKey,
  scalarsRng,
  secretKey,
  SMALL_ORDER,
  vectorsOf,
  verdictsOf,
} from './vectors.js';
import { onEveryCurve } from '../../support/values/curves.js';
import { toPublicKey } from '../../support/values/plain-points.js';

const scalar = fc.bigInt({ min: 1n, max: ORDER - 1n });
const index = fc.integer({ min: 0, max: 0xffff });
const order = secretKey('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010');

describe('publicKeyOf', () => {
  test.each(vectorsOf('generate_keys'))('gives the public half of generated pair $title', ({ words }) => {
    expect(toHex(onEveryCurve((curve) => publicKeyOf(secretKey(words[1]), curve)))).toBe(words[0]);
  });
  const { valid, invalid } = verdictsOf('secret_key_to_public_key');
  test.each(valid)('takes secret $title', ({ words }) => {
    expect(toHex(onEveryCurve((curve) => publicKeyOf(secretKey(words[0]), curve)))).toBe(words[2]);
  });
  test.each(invalid)('refuses secret $title', ({ words }) => {
    expect(() => onEveryCurve((curve) => publicKeyOf(secretKey(words[0]), curve))).toThrow(RangeError);
  });
  it('gives the identity for a secret of zero, as upstream does', () => {
    expect(toHex(onEveryCurve((curve) => publicKeyOf(secretKey('00'.repeat(32)), curve)))).toBe(
      SMALL_ORDER[0],
    );
  });
  it('refuses the group order itself', () => {
    expect(() => onEveryCurve((curve) => publicKeyOf(order, curve))).toThrow(RangeError);
  });
});

describe('keyDerivation', () => {
  const { valid, invalid } = verdictsOf('generate_key_derivation');
  test.each(valid)('derives $title', ({ words }) => {
    expect(
      toHex(onEveryCurve((curve) => keyDerivation(publicKey(words[0]), secretKey(words[1]), curve))),
    ).toBe(words[3]);
  });
  test.each(invalid)('refuses a key that is not a point, $title', ({ words }) => {
    expect(() =>
      onEveryCurve((curve) => keyDerivation(publicKey(words[0]), secretKey(words[1]), curve)),
    ).toThrow(RangeError);
  });
  test.each(NOT_CANONICAL)('refuses $note', ({ hex }) => {
    expect(() =>
      onEveryCurve((curve) => keyDerivation(publicKey(hex), secretKey('07'.repeat(31) + '00'), curve)),
    ).toThrow(RangeError);
  });
  test.each(SMALL_ORDER)('gives the identity for the small-order key %s', (hex) => {
    expect(
      toHex(onEveryCurve((curve) => keyDerivation(publicKey(hex), secretKey('07'.repeat(31) + '00'), curve))),
    ).toBe(SMALL_ORDER[0]);
  });
  it('refuses a secret that is not reduced', () => {
    expect(() => onEveryCurve((curve) => keyDerivation(publicKey(SMALL_ORDER[0]), order, curve))).toThrow(
      RangeError,
    );
  });
  it('is the same from both sides, and independent of torsion', () => {
    fc.assert(
      fc.property(scalar, scalar, fc.constantFrom(...SMALL_ORDER), (a, r, torsion) => {
        const sent = keyDerivation(publicKeyOf(scalarBytes(a)), scalarBytes(r));
        const R = publicKeyOf(scalarBytes(r));
        const tainted = toPublicKey(decompress(R).add(decompress(publicKey(torsion))));
        expect(keyDerivation(R, scalarBytes(a))).toEqual(sent);
        expect(keyDerivation(tainted, scalarBytes(a))).toEqual(sent);
      }),
      { numRuns: 25 },
    );
  });
});

describe('one-time keys', () => {
  const { valid, invalid } = verdictsOf('derive_public_key');
  test.each(valid)('derives the output key $title', ({ words }) => {
    expect(
      toHex(
        onEveryCurve((curve) =>
          derivePublicKey(derivation(words[0]), Number(words[1]), publicKey(words[2]), curve),
        ),
      ),
    ).toBe(words[4]);
  });
  test.each(valid)('finds the spend key behind output key $title', ({ words }) => {
    const spend = onEveryCurve((curve) =>
      deriveSubaddressPublicKey(publicKey(words[4]), derivation(words[0]), Number(words[1]), curve),
    );
    expect(toHex(spend)).toBe(words[2]);
  });
  test.each(invalid)('refuses a spend key that is not a point, $title', ({ words }) => {
    const derive = (): unknown =>
      onEveryCurve((curve) =>
        derivePublicKey(derivation(words[0]), Number(words[1]), publicKey(words[2]), curve),
      );
    expect(derive).toThrow(RangeError);
  });
  test.each(invalid)('refuses an output key that is not a point, $title', ({ words }) => {
    const derive = (): unknown =>
      onEveryCurve((curve) =>
        deriveSubaddressPublicKey(publicKey(words[2]), derivation(words[0]), Number(words[1]), curve),
      );
    expect(derive).toThrow(RangeError);
  });
  test.each(vectorsOf('derive_secret_key'))('derives the output secret $title', ({ words }) => {
    const secret = deriveSecretKey(derivation(words[0]), Number(words[1]), secretKey(words[2]));
    expect(toHex(secret)).toBe(words[3]);
  });
  it('match: the derived secret opens the derived key', () => {
    fc.assert(
      fc.property(scalar, scalar, index, (b, d, i) => {
        const D = bytes32(publicKeyOf(scalarBytes(d)), 'KeyDerivation');
        const key = derivePublicKey(D, i, publicKeyOf(scalarBytes(b)));
        expect(publicKeyOf(deriveSecretKey(D, i, scalarBytes(b)))).toEqual(key);
        expect(deriveSubaddressPublicKey(key, D, i)).toEqual(publicKeyOf(scalarBytes(b)));
      }),
      { numRuns: 25 },
    );
  });
  it.each([-1, 1.5, 2 ** 53, Number.NaN])('refuse the output index %p', (i) => {
    expect(() => derivationToScalar(derivation(SMALL_ORDER[0]), i)).toThrow(RangeError);
  });
  it('refuse a spend secret that is not reduced', () => {
    expect(() => deriveSecretKey(derivation(SMALL_ORDER[0]), 0, order)).toThrow(RangeError);
  });
});

describe('viewTag', () => {
  test.each(vectorsOf('derive_view_tag'))('is right for $title', ({ words }) => {
    expect(viewTag(derivation(words[0]), Number(words[1]))).toBe(Number.parseInt(words[2] ?? '', 16));
  });
});

describe('keyImage', () => {
  test.each(vectorsOf('generate_key_image'))('is right for $title', ({ words }) => {
    expect(toHex(onEveryCurve((curve) => keyImage(publicKey(words[0]), secretKey(words[1]), curve)))).toBe(
      words[2],
    );
  });
  it('refuses a secret that is not reduced', () => {
    expect(() => onEveryCurve((curve) => keyImage(publicKey(SMALL_ORDER[0]), order, curve))).toThrow(
      RangeError,
    );
  });
});

describe('randomSecretKey', () => {
  it('is the scalar of its random source, and draws again on zero', () => {
    expect(randomSecretKey(scalarsRng([0n, 7n]))).toEqual(scalarBytes(7n));
  });
  it('reduces all 64 bytes it draws', () => {
    const drawn = concatBytes(new Uint8Array(32), Uint8Array.of(1), new Uint8Array(31));
    expect(randomSecretKey(() => drawn)).toEqual(scalarBytes(2n ** 256n % ORDER));
  });
});
