import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  keyImage,
  publicKeyOf,
  publicKeysOf,
  randomSecretKey,
} from '../../../src/monero/crypto/derivation.js';
import { Nonces } from '../../../src/monero/crypto/nonces.js';
import { plainCurve } from '../../../src/monero/crypto/curve/plain-curve.js';
import { checkRing, signAlone, signRing } from '../../../src/monero/crypto/ring-signature.js';
import { checkSignature, signHash, signHashes } from '../../../src/monero/crypto/signature.js';
import { proveSharedSecret, proveSharedSecrets, sharedSecret } from '../../../src/monero/crypto/tx-proof.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { loadCurve } from '../../../src/monero/crypto/curve/load-curve.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

const seeds = fc.integer({ min: 0, max: 1_000_000 }).map(String);
const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => bytes as Hash);

describe.each([plainCurve, loadCurve()])('batches of signatures on the curve $name', (curve) => {
  const keysOf = (seed: string, count: number) => {
    const rng = seededRng(seed);
    const secrets = Array.from({ length: count }, () => randomSecretKey(rng));
    return secrets.map((secret) => ({ secret, publicKey: publicKeyOf(secret) }));
  };

  it('are those that single signatures with the same nonces are', () => {
    fc.assert(
      fc.property(seeds, hashes, fc.integer({ min: 0, max: 3 }), (seed, hash, count) => {
        const keys = keysOf(seed, count);
        expect(
          publicKeysOf(
            keys.map(({ secret }) => secret),
            curve,
          ),
        ).toEqual(keys.map(({ publicKey }) => publicKey));
        const single = seededRng(seed);
        expect(signHashes(hash, keys, seededRng(seed), curve)).toEqual(
          keys.map(({ publicKey, secret }) => signHash(hash, { publicKey, secret }, single, plainCurve)),
        );
        const lone = seededRng(seed);
        const rings = keys.map(({ publicKey, secret }) =>
          signRing(hash, keyImage(publicKey, secret), [publicKey], secret, 0, lone, plainCurve),
        );
        const alone = signAlone(
          keys.map((key) => ({ hash, ...key })),
          seededRng(seed),
          curve,
        );
        expect(alone).toEqual(rings.flat());
        keys.forEach(({ publicKey, secret }, i) => {
          expect(checkRing(hash, keyImage(publicKey, secret), [publicKey], alone.slice(i, i + 1))).toBe(true);
        });
        const [owner] = keysOf(`${seed} owner`, 1);
        if (owner === undefined) throw new Error('no key');
        const claims = keys.map(({ publicKey: A }) => ({
          ...{ message: hash, R: owner.publicKey, A, D: sharedSecret(A, owner.secret) },
        }));
        const shared = seededRng(seed);
        expect(proveSharedSecrets(claims, owner.secret, seededRng(seed), curve)).toEqual(
          claims.map((claim) => proveSharedSecret(claim, owner.secret, shared, plainCurve)),
        );
      }),
      { numRuns: 10 },
    );
  });

  it('refuse a secret that is not canonical', () => {
    const [key] = keysOf('beyond', 1);
    if (key === undefined) throw new Error('no key');
    const beyond = Uint8Array.from(key.secret).fill(255) as typeof key.secret;
    const hash = new Uint8Array(32) as Hash;
    expect(() => signAlone([{ ...key, hash, secret: beyond }], seededRng('beyond'), curve)).toThrow(
      RangeError,
    );
    expect(() => signHashes(hash, [{ ...key, secret: beyond }], seededRng('beyond'), curve)).toThrow(
      RangeError,
    );
  });
});

it('a nonce without a challenge fails', () => {
  const nonces = new Nonces(1, seededRng('one'), plainCurve);
  expect(() => nonces.respond([])).toThrow('lists of different lengths: 1, 0');
});

it('a signature whose challenge is valid is one that the verifier accepts', () => {
  const rng = seededRng('accepted');
  const secret = randomSecretKey(rng);
  const hash = new Uint8Array(32).fill(5) as Hash;
  const key = { secret, publicKey: publicKeyOf(secret) };
  for (const signature of signHashes(hash, [key, key], rng, plainCurve))
    expect(checkSignature(hash, key.publicKey, signature)).toBe(true);
});
