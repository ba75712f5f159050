import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { publicKeyOf, randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import { keccak } from '../../../src/monero/crypto/keccak.js';
import { decompress, G, multiply } from '../../../src/monero/crypto/curve/point.js';
import {
  bytesToInt,
  hashToScalar,
  intToBytes,
  ORDER,
  reduce,
  scalarBytes,
  toScalar,
} from '../../../src/monero/crypto/scalar.js';
import {
  checkSharedSecret,
  proveSharedSecret,
  sharedSecret,
  type SharedSecretClaim,
} from '../../../src/monero/crypto/tx-proof.js';
import { onEveryCurve } from '../../support/values/curves.js';
import type { PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { concatBytes, utf8 } from '../../../src/util/bytes.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { NOT_CANONICAL, publicKey, scalarsRng } from './vectors.js';

const rng = seededRng('shared secrets');
const secret = randomSecretKey(rng);
const message = keccak(utf8('a message'));
const A = publicKeyOf(randomSecretKey(rng));
const B = publicKeyOf(randomSecretKey(rng));
const D = sharedSecret(A, secret);

const claims: readonly { readonly note: string; readonly claim: SharedSecretClaim }[] = [
  { note: 'of a standard address', claim: { message, R: publicKeyOf(secret), A, D } },
  { note: 'of a subaddress', claim: { message, R: sharedSecret(B, secret), A, B, D } },
];

const flipped = <T extends Uint8Array>(bytes: T, at: number, bit = 0): T => {
  const copy = Uint8Array.from(bytes) as T;
  copy[at] = (copy[at] ?? 0) ^ (1 << bit);
  return copy;
};

describe.each(claims)('a proof $note', ({ claim }) => {
  const proof = proveSharedSecret(claim, secret, rng);

  it('is good in its own version only', () => {
    expect(onEveryCurve((curve) => checkSharedSecret(claim, proof, 2, curve))).toBe(true);
    expect(onEveryCurve((curve) => checkSharedSecret(claim, proof, 1, curve))).toBe(false);
  });

  it('is the same for the same nonce, and follows the formula', () => {
    const nonce = 0x123456789n;
    const made = onEveryCurve((curve) => proveSharedSecret(claim, secret, scalarsRng([nonce]), curve));
    const X = multiply(claim.B === undefined ? G : decompress(claim.B), nonce).toBytes();
    const Y = multiply(decompress(A), nonce).toBytes();
    const bound = [keccak(utf8('TXPROOF_V2')), claim.R, A, claim.B ?? new Uint8Array(32)];
    const c = hashToScalar(message, D, X, Y, ...bound);
    expect(made).toEqual(concatBytes(scalarBytes(c), scalarBytes(reduce(nonce - c * toScalar(secret)))));
  });

  it('is bad once a bit of it changes', () => {
    fc.assert(
      fc.property(fc.nat(63), fc.nat(7), (at, bit) => {
        expect(checkSharedSecret(claim, flipped(proof, at, bit), 2)).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  it('is bad once a bit of its claim changes', () => {
    const part = fc.constantFrom('message' as const, 'R' as const, 'A' as const, 'D' as const, 'B' as const);
    fc.assert(
      fc.property(part, fc.nat(31), fc.nat(7), (name, at, bit) => {
        const changed = { ...claim, [name]: flipped(claim[name] ?? new Uint8Array(32), at, bit) };
        expect(checkSharedSecret(changed, proof, 2)).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  it('made with another secret is bad', () => {
    expect(checkSharedSecret(claim, proveSharedSecret(claim, randomSecretKey(rng), rng), 2)).toBe(false);
  });

  it.each([
    ['c', 0],
    ['r', 32],
  ])('is bad with the group order added to %s', (_, at) => {
    const bent = Uint8Array.from(proof);
    bent.set(intToBytes(bytesToInt(proof.subarray(at, at + 32)) + ORDER), at);
    expect(checkSharedSecret(claim, bent, 2)).toBe(false);
  });

  it.each([0, 63, 65])('of %i bytes is bad', (length) => {
    const bytes = new Uint8Array(length);
    bytes.set(proof.subarray(0, length));
    expect(checkSharedSecret(claim, bytes, 2)).toBe(false);
  });
});

describe('a proof of version 1', () => {
  it('binds only the shared secret and the message', () => {
    const nonce = 77n;
    const X = multiply(G, nonce).toBytes();
    const Y = multiply(decompress(A), nonce).toBytes();
    const c = hashToScalar(message, D, X, Y);
    const old = concatBytes(scalarBytes(c), scalarBytes(reduce(nonce - c * toScalar(secret))));
    const claim = { message, R: publicKeyOf(secret), A, D };
    expect(checkSharedSecret(claim, old, 1)).toBe(true);
    expect(checkSharedSecret(claim, old, 2)).toBe(false);
    expect(checkSharedSecret({ ...claim, message: keccak(utf8('another')) }, old, 1)).toBe(false);
  });
});

describe('keys that are not points', () => {
  const claim = { message, R: publicKeyOf(secret), A, B, D };
  const proof = proveSharedSecret(claim, secret, rng);
  test.each(NOT_CANONICAL)('make no proof good: $note', ({ hex }) => {
    for (const name of ['R', 'A', 'B', 'D'])
      expect(checkSharedSecret({ ...claim, [name]: publicKey(hex) }, proof, 2)).toBe(false);
  });
  test.each(NOT_CANONICAL)('have no shared secret: $note', ({ hex }) => {
    expect(() => sharedSecret(publicKey(hex), secret)).toThrow(RangeError);
  });
  it('and neither do secrets that are not scalars', () => {
    const beyond = intToBytes(ORDER) as SecretKey;
    expect(() => sharedSecret(A, beyond)).toThrow(RangeError);
    expect(() => proveSharedSecret({ message, R: A, A, D: A as PublicKey }, beyond, rng)).toThrow(RangeError);
  });
});
