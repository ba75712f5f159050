import { describe, expect, it, test } from '@jest/globals';
import { addressKeysAt, addressKeysOfEach, spendKeysBetween } from '../../../src/monero/carrot/account.js';
import {
  ACCOUNT_TIERS,
  tierKeysOf,
  type AccountSecrets,
} from '../../../src/monero/carrot/account-secrets.js';
import { ORDER, intToBytes } from '../../../src/monero/crypto/scalar.js';
import type { PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { concatBytes, fromHex, toHex } from '../../../src/util/bytes.js';
import { SECRETS, VECTOR } from '../../support/wallets/carrot-accounts.js';

describe('the keys of a tier', () => {
  it.each(ACCOUNT_TIERS)('%s make the addresses of the account', (tier) => {
    const { spendPublicKey, mainViewKey, accountViewKey, addressSecret } = tierKeysOf(SECRETS[tier]);
    expect([spendPublicKey, mainViewKey, accountViewKey, addressSecret].map(toHex)).toEqual([
      VECTOR.K_s,
      VECTOR.K_v_main,
      VECTOR.K_v_account,
      VECTOR.s_ga,
    ]);
  });

  test.each([
    ['master', VECTOR.k_v, VECTOR.k_gi, VECTOR.s_m],
    ['view-balance', VECTOR.k_v, VECTOR.k_gi, undefined],
    ['view-received', VECTOR.k_v, undefined, undefined],
    ['generate-address', undefined, undefined, undefined],
  ] as const)('%s are no more than it may have', (tier, view, image, master) => {
    const { viewSecret, balance, masterSecret } = tierKeysOf(SECRETS[tier]);
    expect(viewSecret && toHex(viewSecret)).toBe(view);
    expect(balance && toHex(balance.imageSecret)).toBe(image);
    expect(balance && toHex(balance.partialSpendKey)).toBe(image && VECTOR.K_ps);
    expect(masterSecret && toHex(masterSecret)).toBe(master);
  });

  const bad = (hex: string): PublicKey => fromHex(hex) as PublicKey;
  // y = 2 is on no point; the second key has order 8; then the identity.
  const points = [
    '02'.padEnd(64, '0'),
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '01'.padEnd(64, '0'),
  ].map(bad);
  test.each<[string, AccountSecrets]>([
    ...points.flatMap((point): [string, AccountSecrets][] => [
      ['a partial spend key', { ...SECRETS['view-balance'], partialSpendKey: point }],
      ['a spend key', { ...SECRETS['view-received'], spendPublicKey: point }],
      ['an account view key', { ...SECRETS['generate-address'], accountViewKey: point }],
      ['a view key of the main address', { ...SECRETS['generate-address'], mainViewKey: point }],
    ]),
    [
      'a view secret key of zero',
      { ...SECRETS['view-received'], viewSecret: new Uint8Array(32) as SecretKey },
    ],
    [
      'a view secret key of the group order',
      { ...SECRETS['view-received'], viewSecret: intToBytes(ORDER) as SecretKey },
    ],
  ])('are not those of %s that is no key', (_, secrets) => {
    expect(() => tierKeysOf(secrets)).toThrow(RangeError);
  });
});

describe('addresses as a batch', () => {
  const tier = tierKeysOf(SECRETS['generate-address']);
  const indices = [
    { major: 0, minor: 0 },
    { major: 0, minor: 1 },
    { major: 2, minor: 0 },
  ];

  it('are those that are made alone', () => {
    expect(addressKeysOfEach(tier, indices)).toEqual(indices.map((index) => addressKeysAt(tier, index)));
    expect(addressKeysOfEach(tier, [])).toEqual([]);
  });

  it('have the spend keys of a range, in which the main address has its own', () => {
    const keys = [0, 1, 2].map((minor) => addressKeysAt(tier, { major: 0, minor }).spendPublicKey);
    expect(spendKeysBetween(tier, 0, 0, 3)).toEqual(concatBytes(...keys));
    expect(spendKeysBetween(tier, 0, 1, 3)).toEqual(concatBytes(...keys.slice(1)));
    expect(spendKeysBetween(tier, 0, 3, 3)).toEqual(new Uint8Array());
  });
});
