import { expect, test } from '@jest/globals';
import { publicKeyOf, randomSecretKey, type PublicKeyOf } from '../../src/crypto/derivation.js';
import type { SecretKey } from '../../src/crypto/types.js';
import { subaddressKeys } from '../../src/cryptonote/subaddress-keys.js';
import { addressKeysOf, kernelPublicKeyOf } from '../../src/refresh/address-keys.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { seededRng } from '../support/seeded-rng.js';

test('keys of many addresses at once are those of each', () => {
  const rng = seededRng('address keys');
  const viewSecret = randomSecretKey(rng);
  const spendPublicKey = publicKeyOf(randomSecretKey(rng));
  const indices = [
    { major: 0, minor: 1 },
    { major: 1, minor: 0 },
    { major: 7, minor: 300 },
    { major: 2 ** 32 - 1, minor: 2 ** 32 - 1 },
    ...Array.from({ length: 300 }, (_, minor) => ({ major: 3, minor })),
  ];
  const keys = addressKeysOf(spendPublicKey, viewSecret, indices);
  expect(keys).toHaveLength(indices.length);
  for (const at of [0, 1, 2, 3, 4, 150, 303])
    expect(keys[at]).toEqual(
      subaddressKeys(spendPublicKey, viewSecret, indices[at] ?? { major: 0, minor: 0 }),
    );
});

test('public keys of the kernel are those of the plain arithmetic, errors included', () => {
  const rng = seededRng('public keys');
  const order = fromHex('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010');
  const below = Uint8Array.from(order);
  below[0] = 0xec;
  const resultOf = (publicKey: PublicKeyOf, secret: Uint8Array): unknown => {
    try {
      return toHex(publicKey(secret as SecretKey));
    } catch (error) {
      return error;
    }
  };
  const secrets = [
    ...Array.from({ length: 20 }, () => randomSecretKey(rng)),
    ...[new Uint8Array(32), Uint8Array.of(1, ...new Uint8Array(31)), below],
    ...[order, new Uint8Array(32).fill(255), new Uint8Array(31)],
  ];
  const plain = secrets.map((secret) => resultOf(publicKeyOf, secret));
  expect(plain.filter((result) => result instanceof RangeError)).toHaveLength(3);
  expect(secrets.map((secret) => resultOf(kernelPublicKeyOf, secret))).toEqual(plain);
});
