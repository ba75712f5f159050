import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { BASE, type Curve } from '../../../../src/monero/crypto/curve/curve.js';
import { plainCurve } from '../../../../src/monero/crypto/curve/plain-curve.js';
import { intToBytes, ORDER } from '../../../../src/monero/crypto/scalar.js';
import { concatBytes, fromHex, toHex } from '../../../../src/util/bytes.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';
import { fastCurves } from '../../../support/values/curves.js';
import { someScalar } from '../../../support/values/scalars.js';
import { cases, casesOf } from '../../carrot/vector-cases.js';
import { anyU } from '../../../support/values/u-coordinates.js';

/** Products of u-coordinates: the cases of their own, and the shared secrets of unusual ephemeral keys. */
const products = [
  ...casesOf('x25519').map(({ id, scalar, u, expected }) => ({
    ...{ id, scalar: scalar as string, u: u as string, product: expected.u as string },
  })),
  ...cases
    .filter(({ category, enote }) => category.startsWith('ephemeral-') && enote !== undefined)
    .map(({ id, account, enote, expected }) => ({
      ...{ id, scalar: account.k_v, u: enote?.ephemeral_pubkey ?? '', product: expected.s_sr },
    })),
];
const hashes = casesOf('hash-to-point').map(({ id, output_key: outputKey, x, expected }) => ({
  ...{ id, outputKey: outputKey as string, x: x as string },
  ...{ point: expected.generator as string, keyImage: expected.key_image ?? '' },
}));
/** Output keys with their addresses and the multiples that their senders added. */
const outputKeys = cases
  .filter(({ enote, expected }) => enote !== undefined && expected.owned)
  .map(({ id, enote, expected }) => ({
    ...{ id, addressSpendKey: expected.address_spend_key, outputKey: enote?.output_key ?? '' },
    ...{ ofG: expected.k_g, ofT: expected.k_t },
  }));
const runs = { numRuns: randomRuns(60) };
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe.each([plainCurve, ...fastCurves].map((curve): [string, Curve] => [curve.name, curve]))(
  'the curve of %s',
  (_, curve) => {
    test.each(products)('multiplies u-coordinates as in $id', ({ scalar, u, product }) => {
      expect(toHex(curve.x25519(fromHex(u), fromHex(scalar)))).toBe(product);
    });

    test.each(hashes)('hashes an output key of the fork as in $id', (vector) => {
      const [key, x] = [fromHex(vector.outputKey), fromHex(vector.x)];
      expect(toHex(curve.hashToPointUnbiased(key))).toBe(vector.point);
      expect(toHex(curve.unbiasedKeyImages(key, x))).toBe(vector.keyImage);
    });

    it('adds multiples of both generators to make the output keys of the vectors', () => {
      const rows = outputKeys;
      const sums = curve.addMultiplesOfBoth(
        rows.map(({ addressSpendKey }) => fromHex(addressSpendKey)),
        rows.map(({ ofG }) => fromHex(ofG)),
        rows.map(({ ofT }) => fromHex(ofT)),
      );
      expect(sums.map(toHex)).toEqual(rows.map(({ outputKey }) => outputKey));
    });

    it('refuses scalars of ℓ or more, scalars and points of another length, and rows that do not go together', () => {
      const [order, one, none] = [intToBytes(ORDER), intToBytes(1n), new Uint8Array(31)];
      for (const attempt of [
        () => curve.x25519(one, order),
        () => curve.x25519(one, none),
        () => curve.x25519(none, one),
        () => curve.unbiasedKeyImages(BASE, order),
        () => curve.addMultiplesOfBoth([BASE], [order], [one]),
        () => curve.addMultiplesOfBoth([BASE], [one], [order]),
        () => curve.addMultiplesOfBoth([BASE], [one], []),
        () => curve.addMultiplesOfBoth([intToBytes(2n)], [one], [one]),
      ])
        expect(attempt).toThrow(RangeError);
    });
  },
);

describe.each(fastCurves.map((curve): [string, Curve] => [curve.name, curve]))(
  'the curve of %s',
  (_, curve) => {
    it('multiplies u-coordinates as the plain curve does', () => {
      fc.assert(
        fc.property(anyU, someScalar, (u, scalar) => {
          const secret = intToBytes(scalar);
          expect(toHex(curve.x25519(u, secret))).toBe(toHex(plainCurve.x25519(u, secret)));
        }),
        runs,
      );
    });

    it('hashes messages of every length as the plain curve does, and refuses longer ones', () => {
      const some = (most: number) => fc.uint8Array({ maxLength: most });
      const edge = fc.constantFrom(0, 1, 127, 128, 129, 255, 256);
      const message = fc.oneof(
        some(256),
        edge.chain((length) => fc.uint8Array({ minLength: length, maxLength: length })),
      );
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 64 }), message, some(64), (length, text, key) => {
          expect(toHex(curve.forkHash(length, text, key))).toBe(
            toHex(plainCurve.forkHash(length, text, key)),
          );
          expect(toHex(curve.forkHash(length, text))).toBe(toHex(plainCurve.forkHash(length, text)));
        }),
        { numRuns: randomRuns(200) },
      );
      for (const each of [curve, plainCurve])
        for (const wrong of [
          () => each.forkHash(65, new Uint8Array(1)),
          () => each.forkHash(0, new Uint8Array(1)),
          () => each.forkHash(32, new Uint8Array(257)),
          () => each.forkHash(32, new Uint8Array(1), new Uint8Array(65)),
        ])
          expect(wrong).toThrow(RangeError);
    });

    it('makes key images of output keys of the fork as the plain curve does', () => {
      fc.assert(
        fc.property(fc.array(fc.tuple(bytes32, someScalar), { maxLength: 5 }), (rows) => {
          const keys = concatBytes(...rows.map(([key]) => key));
          const secrets = concatBytes(...rows.map(([, x]) => intToBytes(x)));
          expect(toHex(curve.unbiasedKeyImages(keys, secrets))).toBe(
            toHex(plainCurve.unbiasedKeyImages(keys, secrets)),
          );
        }),
        { numRuns: randomRuns(20) },
      );
    });

    it('adds multiples of both generators as the plain curve does', () => {
      const edges = [0n, 1n, 31n, 32n, 2n ** 252n, ORDER - 1n];
      const scalar = fc.oneof(someScalar, fc.constantFrom(...edges));
      fc.assert(
        fc.property(fc.array(fc.tuple(scalar, scalar), { maxLength: 5 }), (rows) => {
          const sums = [curve, plainCurve].map((each) =>
            each
              .addMultiplesOfBoth(
                rows.map(() => BASE),
                rows.map(([x]) => intToBytes(x)),
                rows.map(([, y]) => intToBytes(y)),
              )
              .map(toHex),
          );
          expect(sums[0]).toEqual(sums[1]);
        }),
        { numRuns: randomRuns(20) },
      );
    });
  },
);
