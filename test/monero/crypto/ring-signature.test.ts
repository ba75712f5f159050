import { describe, expect, it, test } from '@jest/globals';
import {
  keyImage,
  publicKeyOf,
  publicKeysOf,
  randomSecretKey,
} from '../../../src/monero/crypto/derivation.js';
import { checkRing, signRing } from '../../../src/monero/crypto/ring-signature.js';
import { bytesToInt, intToBytes, ORDER, reduce } from '../../../src/monero/crypto/scalar.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { systemRng } from '../../../src/util/random.js';
import {
  hash,
  image,
  NOT_CANONICAL,
  publicKey,
  scalarsRng,
  secretKey,
  signatures,
  vectorsOf,
  verdictsOf,
} from './vectors.js';
import { onEveryCurve } from '../../support/values/curves.js';

describe('signRing', () => {
  test.each(vectorsOf('generate_ring_signature'))(
    'signs $title as upstream did with the same randomness',
    ({ words: [message, keyImageHex, size, ...rest] }) => {
      const count = Number(size);
      const [secret = '', index, expected = ''] = rest.slice(count);
      const realIndex = Number(index);
      const pairs = signatures(expected).map((bytes) => ({
        c: bytesToInt(bytes.subarray(0, 32)),
        r: bytesToInt(bytes.subarray(32)),
      }));
      const real = pairs[realIndex] ?? { c: 0n, r: 0n };
      const nonce = reduce(real.r + real.c * bytesToInt(fromHex(secret)));
      const others = pairs.filter((pair) => pair !== real).flatMap(({ c, r }) => [c, r]);
      const made = onEveryCurve((curve) =>
        signRing(
          hash(message),
          image(keyImageHex),
          rest.slice(0, count).map(publicKey),
          secretKey(secret),
          realIndex,
          scalarsRng([nonce, ...others]),
          curve,
        ),
      );
      expect(made.map(toHex).join('')).toBe(expected);
    },
  );

  const secret = randomSecretKey(systemRng);
  const key = publicKeyOf(secret);
  const ring = [publicKeyOf(randomSecretKey(systemRng)), key];
  const message = hash('22'.repeat(32));

  it.each([-1, 2, 0.5])('refuses the real index %p of a ring of two', (index) => {
    expect(() => signRing(message, keyImage(key, secret), ring, secret, index, systemRng)).toThrow(
      RangeError,
    );
  });
  test.each(NOT_CANONICAL)('refuses a decoy with $note', ({ hex }) => {
    const bad = [publicKey(hex), key];
    expect(() => signRing(message, keyImage(key, secret), bad, secret, 1, systemRng)).toThrow(RangeError);
  });
  it('refuses an image that is not a point', () => {
    const bad = image('ff'.repeat(32));
    expect(() => signRing(message, bad, ring, secret, 1, systemRng)).toThrow(RangeError);
  });
  it('refuses a secret that is not reduced', () => {
    const bad = secretKey('ff'.repeat(32));
    expect(() => signRing(message, keyImage(key, secret), ring, bad, 1, systemRng)).toThrow(RangeError);
  });
});

describe('checkRing', () => {
  const { valid, invalid } = verdictsOf('check_ring_signature');
  const check = ([message, keyImageHex, size, ...rest]: string[]): boolean =>
    onEveryCurve((curve) =>
      checkRing(
        hash(message),
        image(keyImageHex),
        rest.slice(0, Number(size)).map(publicKey),
        signatures(rest[Number(size)]),
        curve,
      ),
    );
  test.each(valid)('takes $title', ({ words }) => {
    expect(check(words)).toBe(true);
  });
  test.each(invalid)('refuses $title', ({ words }) => {
    expect(check(words)).toBe(false);
  });

  const secrets = [1, 2, 3].map(() => randomSecretKey(systemRng));
  const ring = publicKeysOf(secrets);
  const message = hash('33'.repeat(32));
  const [secret = secretKey('00'.repeat(32))] = secrets;
  const own = keyImage(publicKeyOf(secret), secret);
  const signed = signRing(message, own, ring, secret, 0, systemRng);

  it('accepts a signature by signRing, in its ring order only', () => {
    expect(checkRing(message, own, ring, signed)).toBe(true);
    expect(checkRing(message, own, ring.toReversed(), signed)).toBe(false);
  });
  it('refuses another message, and another image', () => {
    expect(checkRing(hash('34'.repeat(32)), own, ring, signed)).toBe(false);
    const other = keyImage(publicKeyOf(secret), randomSecretKey(systemRng));
    expect(checkRing(message, other, ring, signed)).toBe(false);
  });
  it('refuses a signature too few, too many, too short', () => {
    expect(checkRing(message, own, ring, signed.slice(1))).toBe(false);
    expect(checkRing(message, own, ring, [...signed, ...signed.slice(2)])).toBe(false);
    expect(checkRing(message, own, ring, [...signed.slice(0, 2), new Uint8Array(63)])).toBe(false);
  });
  it.each([
    ['c', 0],
    ['r', 32],
  ] as const)('refuses the same %s with the group order added', (_, at) => {
    const bent = signed.map((bytes) => Uint8Array.from(bytes));
    bent[1]?.set(intToBytes(bytesToInt(bent[1].subarray(at, at + 32)) + ORDER), at);
    expect(checkRing(message, own, ring, bent)).toBe(false);
  });
  test.each(NOT_CANONICAL)('refuses an image with $note', ({ hex }) => {
    expect(checkRing(message, image(hex), ring, signed)).toBe(false);
  });
  test.each(NOT_CANONICAL)('refuses a ring member with $note', ({ hex }) => {
    expect(checkRing(message, own, [publicKey(hex), ...ring.slice(1)], signed)).toBe(false);
  });
});
