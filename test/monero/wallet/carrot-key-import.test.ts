import { describe, expect, it, test } from '@jest/globals';
import { parseAddress, formatAddress } from '../../../src/monero/cryptonote/address.js';
import {
  namesCarrotKeys,
  parseCarrotKeys,
  type CarrotKeyTexts,
} from '../../../src/monero/wallet/carrot-key-import.js';
import { KeyError } from '../../../src/monero/wallet/keys.js';
import { SECRETS, VECTOR } from '../../support/wallets/carrot-accounts.js';

const NONE = { address: '', viewKey: '', spendKey: '' };
const { address } = VECTOR;
const master = { masterSecret: VECTOR.s_m };
const balance = { balanceSecret: VECTOR.s_vb, partialSpendKey: VECTOR.K_ps };
const received = { address, addressSecret: VECTOR.s_ga, viewKey: VECTOR.k_v };
const addresses = { address, addressSecret: VECTOR.s_ga, accountViewKey: VECTOR.K_v_account };
const other = 'ab'.repeat(31).padEnd(64, '0');

describe('imported keys of an account of the fork', () => {
  test.each<[keyof typeof SECRETS, string, Partial<CarrotKeyTexts>]>([
    ['master', 'the master secret', master],
    [
      'master',
      'the master secret with every other key',
      { ...master, ...balance, ...received, ...addresses },
    ],
    ['view-balance', 'the balance secret and the partial spend key', balance],
    [
      'view-balance',
      'these with the address, in capitals',
      { ...balance, address, viewKey: VECTOR.k_v.toUpperCase() },
    ],
    ['view-received', 'the view key and the address secret', received],
    ['view-received', 'these with the account view key', { ...received, ...addresses }],
    ['generate-address', 'the address secret and the account view key', addresses],
  ])('make an account of the tier %s: %s', (tier, _, given) => {
    const texts = { ...NONE, ...given };
    expect(namesCarrotKeys(texts)).toBe(true);
    expect(parseCarrotKeys(texts, 'mainnet')).toEqual(SECRETS[tier]);
  });

  it('are not among the keys that every account has', () => {
    expect(namesCarrotKeys({ address, viewKey: VECTOR.k_v, spendKey: other })).toBe(false);
    expect(namesCarrotKeys({ ...NONE, masterSecret: '', addressSecret: '' })).toBe(false);
  });

  const integrated = formatAddress({
    ...parseAddress(address),
    kind: 'integrated',
    paymentId: new Uint8Array(8) as never,
  });
  test.each<[string, Partial<CarrotKeyTexts>, RegExp]>([
    ['a spend key beside them', { ...master, spendKey: other }, /no spend key/],
    ['the balance secret alone', { balanceSecret: VECTOR.s_vb }, /needs partial_spend_key/],
    [
      'the partial spend key alone',
      { partialSpendKey: VECTOR.K_ps },
      /needs master_secret, balance_secret or/,
    ],
    ['the address secret without an address', { ...received, address: '' }, /needs the primary address/],
    [
      'the address secret alone',
      { address, addressSecret: VECTOR.s_ga },
      /needs viewkey or account_view_key/,
    ],
    ['a text that is no key', { masterSecret: 'x'.repeat(64) }, /master_secret has 64 hex digits/],
    ['a short key', { ...balance, balanceSecret: VECTOR.s_vb.slice(2) }, /balance_secret has 64 hex digits/],
    [
      'a key that is no point',
      { ...balance, partialSpendKey: '02'.padEnd(64, '0') },
      /not keys of an account/,
    ],
    ['another balance secret', { ...master, balanceSecret: other }, /^balance_secret does not belong/],
    ['another partial spend key', { ...master, partialSpendKey: other }, /^partial_spend_key does not/],
    ['another view key', { ...balance, viewKey: other }, /^viewkey does not belong/],
    ['another address secret', { ...balance, addressSecret: other }, /^address_secret does not belong/],
    ['another account view key', { ...received, accountViewKey: other }, /^account_view_key does not/],
    ['another key for the address', { ...received, viewKey: other }, /^the address does not belong/],
    [
      'a partial spend key of another account',
      { ...balance, partialSpendKey: VECTOR.K_s, address },
      /^the address/,
    ],
    [
      'a subaddress',
      { ...received, address: VECTOR.subaddresses[0]?.address ?? '' },
      /not a primary address/,
    ],
    ['an integrated address', { ...received, address: integrated }, /not a primary address/],
    ['no address', { ...received, address: 'nonsense' }, /cannot be read/],
  ])('are refused: %s', (_, given, reason) => {
    let error: unknown;
    try {
      parseCarrotKeys({ ...NONE, ...given }, 'mainnet');
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(KeyError);
    expect((error as KeyError).fault).toMatchObject({
      kind: 'invalid',
      reason: expect.stringMatching(reason) as unknown,
    });
  });

  it('are refused with an address of another network, which is named', () => {
    expect(() => parseCarrotKeys({ ...NONE, ...received }, 'stagenet')).toThrow(KeyError);
  });
});
