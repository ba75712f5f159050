import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { publicKeyOf, randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import { bytesToInt, intToBytes, ORDER, reduce, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import { checkSignature, signHash } from '../../../src/monero/crypto/signature.js';
import { bytes32, concatBytes, fromHex, toHex } from '../../../src/util/bytes.js';
import { systemRng } from '../../../src/util/random.js';
import {
  hash,
  NOT_CANONICAL,
  publicKey,
  scalarsRng,
  secretKey,
  SMALL_ORDER,
  vectorsOf,
  verdictsOf,
} from './vectors.js';
import { onEveryCurve } from '../../support/values/curves.js';

describe('signHash', () => {
  test.each(vectorsOf('generate_signature'))(
    'signs $title as upstream did with the same nonce',
    ({ words: [message, key, secret, expected = ''] }) => {
      const c = bytesToInt(fromHex(expected.slice(0, 64)));
      const r = bytesToInt(fromHex(expected.slice(64)));
      const nonce = reduce(r + c * bytesToInt(fromHex(secret ?? '')));
      const pair = { publicKey: publicKey(key), secret: secretKey(secret) };
      const made = onEveryCurve((curve) => signHash(hash(message), pair, scalarsRng([nonce]), curve));
      expect(toHex(made)).toBe(expected);
    },
  );
  it('makes a signature that checkSignature accepts for that message and key only', () => {
    const bytes32s = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes32s, fc.nat(31), fc.nat(63), (message, at, inSignature) => {
        const secret = randomSecretKey(systemRng);
        const key = publicKeyOf(secret);
        const signed = bytes32(message, 'Hash');
        const signature = signHash(signed, { publicKey: key, secret }, systemRng);
        expect(checkSignature(signed, key, signature)).toBe(true);
        expect(checkSignature(signed, publicKeyOf(randomSecretKey(systemRng)), signature)).toBe(false);
        const other = bytes32(message, 'Hash');
        other[at] = (other[at] ?? 0) ^ 1;
        expect(checkSignature(other, key, signature)).toBe(false);
        const bent = Uint8Array.from(signature);
        bent[inSignature] = (bent[inSignature] ?? 0) ^ 1;
        expect(checkSignature(signed, key, bent)).toBe(false);
      }),
      { numRuns: 15 },
    );
  });
});

describe('checkSignature', () => {
  const { valid, invalid } = verdictsOf('check_signature');
  test.each(valid)('takes $title', ({ words: [message, key, signature = ''] }) => {
    expect(
      onEveryCurve((curve) => checkSignature(hash(message), publicKey(key), fromHex(signature), curve)),
    ).toBe(true);
  });
  test.each(invalid)('refuses $title', ({ words: [message, key, signature = ''] }) => {
    expect(
      onEveryCurve((curve) => checkSignature(hash(message), publicKey(key), fromHex(signature), curve)),
    ).toBe(false);
  });

  const secret = scalarBytes(0x1234567890n);
  const key = publicKeyOf(secret);
  const message = hash('11'.repeat(32));
  const good = signHash(message, { publicKey: key, secret }, scalarsRng([0xabcdefn]));

  it.each([0, 63, 65, 128])('refuses a signature of %i bytes', (length) => {
    const bytes = new Uint8Array(length);
    bytes.set(good.subarray(0, length));
    expect(onEveryCurve((curve) => checkSignature(message, key, bytes, curve))).toBe(false);
  });
  it.each([
    ['c', 0],
    ['r', 32],
  ] as const)('refuses the same %s with the group order added', (_, at) => {
    const bytes = Uint8Array.from(good);
    bytes.set(intToBytes(bytesToInt(good.subarray(at, at + 32)) + ORDER), at);
    expect(onEveryCurve((curve) => checkSignature(message, key, bytes, curve))).toBe(false);
  });
  it('refuses c = 0', () => {
    const zero = concatBytes(new Uint8Array(32), good.subarray(32));
    expect(onEveryCurve((curve) => checkSignature(message, key, zero, curve))).toBe(false);
  });
  it('refuses a commitment that is the identity', () => {
    const c = 5n;
    const r = reduce(-c * bytesToInt(secret));
    expect(
      onEveryCurve((curve) =>
        checkSignature(message, key, concatBytes(scalarBytes(c), scalarBytes(r)), curve),
      ),
    ).toBe(false);
  });
  test.each(NOT_CANONICAL)('refuses a key with $note', ({ hex }) => {
    expect(onEveryCurve((curve) => checkSignature(message, publicKey(hex), good, curve))).toBe(false);
  });
  test.each(SMALL_ORDER)('refuses a signature of another key under the small-order key %s', (hex) => {
    expect(onEveryCurve((curve) => checkSignature(message, publicKey(hex), good, curve))).toBe(false);
  });
});
