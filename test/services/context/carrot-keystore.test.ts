import { describe, expect, it, test } from '@jest/globals';
import { ACCOUNT_TIERS, type AccountTier } from '../../../src/monero/carrot/account-secrets.js';
import { findLanguage } from '../../../src/monero/cryptonote/languages.js';
import { decodeMnemonic } from '../../../src/monero/cryptonote/mnemonic.js';
import {
  assertLegacy,
  carrotWalletKeys,
  seesPayments,
  spendSecretIn,
  wipeKeys,
} from '../../../src/monero/wallet/keys.js';
import { keysOfFile, wipeKeysFile } from '../../../src/services/context/keys-of-file.js';
import { Keystore } from '../../../src/services/context/keystore.js';
import type { KeysFile } from '../../../src/store/keys/keys-file.js';
import { faultOf as faultIn } from '../../../src/model/wallet-error.js';
import { toHex } from '../../../src/util/bytes.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import { SECRETS, VECTOR } from '../../support/wallets/carrot-accounts.js';
import { KeystoreFiles, PASSWORD } from '../../support/wallets/keystores.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

const files = new KeystoreFiles();

function fileOf(tier: AccountTier): KeysFile {
  const { spendPublicKey, viewPublicKey } = carrotWalletKeys(SECRETS[tier], 'mainnet');
  const carrot = structuredClone(SECRETS[tier]);
  return {
    ...{ spendPublicKey, viewPublicKey, carrot, watchOnly: tier !== 'master' },
    viewSecret: 'viewSecret' in carrot ? carrot.viewSecret : (new Uint8Array(32) as SecretKey),
    ...{ seedLanguage: 'Deutsch', network: 'mainnet', refreshHeight: 0, creationTimestamp: 0, other: {} },
  };
}

/** Keystore of an account, whose keys file was read and wiped. @param onDisk in the folder of the test. */
function keystoreOf(tier: AccountTier, onDisk = false): Keystore {
  const keysFile = fileOf(tier);
  const keystore = new Keystore({
    ...(onDisk ? { path: files.path, store: files.store } : {}),
    ...{ keys: keysOfFile(keysFile), keysFile, password: PASSWORD },
    ...{ kdfRounds: 1, rng: seededRng('keystore of an account of the fork') },
  });
  wipeKeysFile(keysFile);
  return keystore;
}

/** Returns the fault of a task; undefined if there is none. */
function faultOf(task: () => unknown): unknown {
  try {
    task();
    return undefined;
  } catch (error) {
    return faultIn(error);
  }
}

describe('a query for a key of an account of the fork', () => {
  test.each([
    ['master', ['master_secret', 'balance_secret', 'partial_spend_key', 'view_key', 'address_secret']],
    ['view-balance', ['balance_secret', 'partial_spend_key', 'view_key', 'address_secret']],
    ['view-received', ['view_key', 'address_secret']],
    ['generate-address', ['address_secret']],
  ] as const)('of the tier %s answers the keys that it has: %j', (tier, held) => {
    const keystore = keystoreOf(tier);
    const all = {
      master_secret: VECTOR.s_m,
      balance_secret: VECTOR.s_vb,
      partial_spend_key: VECTOR.K_ps,
      view_key: VECTOR.k_v,
      address_secret: VECTOR.s_ga,
    };
    for (const [type, key] of Object.entries(all))
      if ((held as readonly string[]).includes(type)) expect(keystore.query(type)).toBe(key);
      else
        expect(faultOf(() => keystore.query(type))).toMatchObject({
          kind: type === 'view_key' ? 'sees_no_payments' : 'view_only',
        });
    expect(keystore.query('account_view_key')).toBe(VECTOR.K_v_account);
  });

  it('answers the words of the master secret in the language of the wallet', () => {
    const { seed, language } = decodeMnemonic(keystoreOf('master').query('mnemonic'));
    expect(toHex(seed)).toBe(VECTOR.s_m);
    expect(language).toBe(findLanguage('Deutsch'));
  });

  it('is refused for a spend key, for an unknown type, and after the keys are wiped', () => {
    const keystore = keystoreOf('master');
    expect(faultOf(() => keystore.query('spend_key'))).toEqual({ kind: 'legacy_account_needed' });
    expect(faultOf(() => keystore.query('nonsense'))).toEqual({ kind: 'wrong_key_type', given: 'nonsense' });
    wipeKeys(keystore.keys);
    for (const type of ['mnemonic', 'balance_secret', 'view_key', 'address_secret'])
      expect(() => keystore.query(type)).toThrow('wipe');
  });
});

describe('the keystore of an account of the fork', () => {
  it.each(ACCOUNT_TIERS)('writes all keys of the tier %s', async (tier) => {
    const keystore = keystoreOf(tier, true);
    expect(keystore.whole.carrot).toEqual(SECRETS[tier]);
    await keystore.restoreFile();
    await keystore.changePassword(PASSWORD, 'new');
    expect((await files.load('new')).carrot).toEqual(SECRETS[tier]);
  });

  it('writes no wiped key', async () => {
    const keystore = keystoreOf('master', true);
    await keystore.restoreFile();
    wipeKeys(keystore.keys);
    await expect(keystore.changePassword(PASSWORD, 'new')).rejects.toThrow('wipe');
    expect((await files.load()).carrot).toEqual(SECRETS.master);
  });

  it('has no background sync', async () => {
    await expect(keystoreOf('master').setBackgroundSync('reuse-wallet-password', '')).rejects.toMatchObject({
      fault: { kind: 'legacy_account_needed' },
    });
  });

  test.each([
    ['master', false, false, true],
    ['view-balance', true, false, true],
    ['view-received', true, true, true],
    ['generate-address', true, true, false],
  ] as const)(
    'of the tier %s is view-only: %s, takes imported key images: %s, sees payments: %s',
    (tier, isViewOnly, importsKeyImages, sees) => {
      const keystore = keystoreOf(tier);
      expect([keystore.isViewOnly, keystore.importsKeyImages, seesPayments(keystore.keys)]).toEqual([
        isViewOnly,
        importsKeyImages,
        sees,
      ]);
    },
  );

  it('has no spend key, which is said in one place', () => {
    const { keys } = keystoreOf('master');
    expect(faultOf(() => spendSecretIn(keys))).toEqual({ kind: 'legacy_account_needed' });
    expect(faultOf(() => assertLegacy(keys))).toEqual({ kind: 'legacy_account_needed' });
  });
});
