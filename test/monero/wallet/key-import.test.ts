import { describe, expect, it, test } from '@jest/globals';
import { publicKeyOf, randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import { intToBytes, ORDER } from '../../../src/monero/crypto/scalar.js';
import { accountKeysOf } from '../../../src/monero/cryptonote/account-keys.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { toHex } from '../../../src/util/bytes.js';
import { KeyError } from '../../../src/monero/wallet/keys.js';
import { parseAccountKeys } from '../../../src/monero/wallet/key-import.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

const rng = seededRng('given keys');
const spendSecret = randomSecretKey(rng);
const keys = accountKeysOf(spendSecret);
const address = formatAddress({ network: 'mainnet', kind: 'standard', ...keys });
const viewKey = toHex(keys.viewSecret);
const spendKey = toHex(spendSecret);
const other = toHex(randomSecretKey(rng));
const { spendPublicKey, viewPublicKey, viewSecret } = keys;

describe('imported keys', () => {
  test.each([
    ['all of them', { address, viewKey, spendKey }],
    ['the spend key alone', { address: '', viewKey: '', spendKey }],
    ['the spend key and the address', { address, viewKey: '', spendKey }],
    ['both secret keys', { address: '', viewKey, spendKey: spendKey.toUpperCase() }],
  ])('make a whole account: %s', (_, given) => {
    expect(parseAccountKeys(given, 'mainnet')).toEqual(keys);
  });

  it('without the spend key make a view-only account', () => {
    expect(parseAccountKeys({ address, viewKey, spendKey: '' }, 'mainnet')).toEqual({
      spendPublicKey,
      viewPublicKey,
      viewSecret,
    });
  });

  it('may have an independent view key', () => {
    const given = parseAccountKeys({ address: '', viewKey: other, spendKey }, 'mainnet');
    expect(given).toMatchObject({ spendPublicKey, spendSecret });
    expect(given.viewPublicKey).toEqual(publicKeyOf(given.viewSecret));
    expect(toHex(given.viewSecret)).toBe(other);
  });

  test.each([
    ['nothing', { address: '', viewKey: '', spendKey: '' }],
    ['the view key alone', { address: '', viewKey, spendKey: '' }],
    ['the address alone', { address, viewKey: '', spendKey: '' }],
    ['a bad address', { address: 'x', viewKey, spendKey }],
    ['a view key of another address', { address, viewKey: other, spendKey: '' }],
    ['a spend key of another address', { address, viewKey, spendKey: other }],
    ['a short key', { address, viewKey: viewKey.slice(2), spendKey: '' }],
    ['no hex', { address, viewKey: 'z'.repeat(64), spendKey: '' }],
    ['zero', { address: '', viewKey: '', spendKey: '0'.repeat(64) }],
    ['the group order', { address: '', viewKey: '', spendKey: toHex(intToBytes(ORDER)) }],
    ['a key above the group order', { address, viewKey, spendKey: toHex(intToBytes(ORDER + 1n)) }],
  ])('are refused: %s', (_, given) => {
    expect(() => parseAccountKeys(given, 'mainnet')).toThrow(KeyError);
  });

  it('of another network are refused', () => {
    expect(() => parseAccountKeys({ address, viewKey, spendKey }, 'stagenet')).toThrow(KeyError);
  });

  it('are not quoted in an error', () => {
    const said = (given: Parameters<typeof parseAccountKeys>[0]): string => {
      try {
        parseAccountKeys(given, 'mainnet');
      } catch (error) {
        return JSON.stringify((error as KeyError).fault);
      }
      return '';
    };
    expect(said({ address, viewKey: other, spendKey: '' })).toContain('view key');
    expect(said({ address, viewKey: other, spendKey: '' })).not.toContain(other);
  });
});
