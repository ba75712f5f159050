import { expect, test } from '@jest/globals';
import { publicKeyOf, randomSecretKey } from '../../../../src/monero/crypto/derivation.js';
import { subaddressKeys } from '../../../../src/monero/cryptonote/subaddress-keys.js';
import { addressKeysOf } from '../../../../src/monero/wallet/scan/subaddress-table.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';

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
