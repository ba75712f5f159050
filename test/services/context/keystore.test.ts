import { describe, expect, it } from '@jest/globals';
import { type Keystore, isMultisigImportNeeded } from '../../../src/services/context/keystore.js';
import { secretsOfWords } from '../../../src/services/context/seed-words.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import { accountKeysOf } from '../../../src/monero/cryptonote/account-keys.js';
import { toHex } from '../../../src/util/bytes.js';
import { Secret } from '../../../src/util/secret.js';
import type { BackgroundSyncType } from '../../../src/model/background-sync-mode.js';
import { wipeKeys, type WalletKeys } from '../../../src/monero/wallet/keys.js';
import { keystoreOf, namedKeys, PASSWORD } from '../../support/wallets/keystores.js';
import { faultOf } from '../../support/wallets/test-wallet.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { output, page, received, unnamed } from '../../store/fixtures.js';

/** A background wallet: its file has a key in place of the spend key. */
const backgroundWallet = (backgroundSync: BackgroundSyncType): Keystore =>
  keystoreOf(namedKeys('background', true), {
    backgroundSync,
    file: { watchOnly: false, backgroundKey: new Uint8Array(32) },
  });

describe('a query for a key', () => {
  const keys = namedKeys('query');

  it('gives the view key, the spend key, and the seed that restores it', async () => {
    const keystore = keystoreOf(keys);
    expect(keystore.query('view_key')).toBe(toHex(keys.viewSecret.expose()));
    expect(keystore.query('spend_key')).toBe(toHex(keys.spend));
    expect(await secretsOfWords(keystore.query('mnemonic'), '')).toEqual({ spendSecret: keys.spend });
  });

  it('gives a seed of the English words where its language is not known', () => {
    const words = keystoreOf(keys, { file: { seedLanguage: 'Klingon' } }).query('mnemonic');
    expect(words).toBe(keystoreOf(keys).query('mnemonic'));
  });

  it.each<[string, () => Keystore, string, object]>([
    ['an unknown type', () => keystoreOf(keys), 'view', { kind: 'wrong_key_type', given: 'view' }],
    [
      'the spend key of a view-only wallet',
      () => keystoreOf(namedKeys('v', true)),
      'spend_key',
      { kind: 'view_only', text: 'The wallet is watch-only. Cannot retrieve spend key.' },
    ],
    [
      'the seed of a view-only wallet',
      () => keystoreOf(namedKeys('v', true)),
      'mnemonic',
      { kind: 'view_only', text: 'The wallet is watch-only. Cannot retrieve seed.' },
    ],
    [
      'the spend key of a background wallet',
      () => backgroundWallet('custom-background-password'),
      'spend_key',
      { kind: 'background_wallet' },
    ],
    [
      'the seed of a background wallet',
      () => backgroundWallet('custom-background-password'),
      'mnemonic',
      { kind: 'background_wallet' },
    ],
  ])('is refused for %s', async (_, open, type, fault) => {
    expect(await faultOf(() => open().query(type))).toEqual(fault);
  });

  it('is refused while the spend key is put away, but for the view key', async () => {
    const own = namedKeys('away');
    const keystore = keystoreOf(own, { backgroundSync: 'reuse-wallet-password' });
    keystore.dropSpendKey();
    expect(await faultOf(() => keystore.query('spend_key'))).toEqual({ kind: 'background_syncing' });
    expect(await faultOf(() => keystore.query('mnemonic'))).toEqual({ kind: 'background_syncing' });
    expect(keystore.query('view_key')).toBe(toHex(own.viewSecret.expose()));
  });

  it('is refused for the seed of a wallet whose view key does not follow from its spend key', async () => {
    const { spendPublicKey, spendSecret, network } = namedKeys('one');
    const other = accountKeysOf(namedKeys('other').spend);
    const viewSecret = new Secret(other.viewSecret);
    const { viewPublicKey } = other;
    const keystore = keystoreOf({
      network,
      spendPublicKey,
      viewPublicKey,
      viewSecret,
      ...(spendSecret && { spendSecret }),
    });
    expect(await faultOf(() => keystore.query('mnemonic'))).toEqual({ kind: 'not_deterministic' });
    expect(keystore.query('spend_key')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('fails once the keys are wiped', () => {
    const own = namedKeys('wiped');
    const keystore = keystoreOf(own);
    wipeKeys(own);
    expect(() => keystore.query('view_key')).toThrow('wipe');
    expect(() => keystore.query('spend_key')).toThrow('wipe');
  });
});

describe('the spend key', () => {
  it('is absent and wiped once it is put away, and there once it is taken back', () => {
    const keys = namedKeys('put away');
    const keystore = keystoreOf(keys, { backgroundSync: 'custom-background-password' });
    expect([keystore.background, keystore.hidesNotes]).toEqual([undefined, false]);
    keystore.dropSpendKey();
    expect([keystore.keys.spendSecret, keystore.background, keystore.hidesNotes]).toEqual([
      undefined,
      'syncing',
      true,
    ]);
    expect(() => keys.spendSecret?.expose()).toThrow('wipe');
    const given = Uint8Array.from(keys.spend) as SecretKey;
    keystore.restoreSpendKey({ spendSecret: given }, PASSWORD);
    given.fill(0);
    expect(keystore.keys.spendSecret?.expose()).toEqual(keys.spend);
    expect([keystore.background, keystore.hidesNotes]).toEqual([undefined, false]);
  });

  it.each<[BackgroundSyncType, boolean]>([
    ['reuse-wallet-password', false],
    ['custom-background-password', true],
  ])('that a background wallet of type %s lacks hides its notes: %j', (type, hides) => {
    const keystore = backgroundWallet(type);
    expect([keystore.background, keystore.hidesNotes, keystore.isViewOnly]).toEqual(['wallet', hides, false]);
  });

  it('of a view-only wallet was never there', () => {
    const keystore = keystoreOf(namedKeys('v', true));
    expect([keystore.background, keystore.isViewOnly]).toEqual([undefined, true]);
  });

  it('of a wallet in memory is recovered from the given one alone, as a copy', async () => {
    const keys = namedKeys('recovered');
    const keystore = keystoreOf(keys, { backgroundSync: 'reuse-wallet-password' });
    const { spendSecret: recovered } = await keystore.recoverSecrets(PASSWORD, { spendSecret: keys.spend });
    expect(recovered).toEqual(keys.spend);
    recovered.fill(0);
    expect(keystore.query('spend_key')).not.toBe(toHex(recovered));
    const notOurs = { kind: 'invalid', reason: "this is not the wallet's spend key" };
    expect(await faultOf(() => keystore.recoverSecrets(PASSWORD, undefined))).toEqual(notOurs);
    expect(
      await faultOf(() => keystore.recoverSecrets(PASSWORD, { spendSecret: namedKeys('x').spend })),
    ).toEqual(notOurs);
    expect(await faultOf(() => keystore.recoverSecrets('wrong', { spendSecret: keys.spend }))).toEqual({
      kind: 'wrong_password',
    });
  });
});

describe('a wallet in memory', () => {
  it('has no file to write, and no password to check', async () => {
    const keystore = keystoreOf(namedKeys('memory'));
    keystore.assertPassword('anything');
    expect([keystore.isPassword(PASSWORD), keystore.isPassword('')]).toEqual([true, false]);
    expect(await keystore.restoreFile()).toBe(false);
    await keystore.restoreBackgroundFiles();
    await keystore.setLookahead({ major: 2, minor: 3 });
    expect(keystore.lookahead).toEqual({ major: 2, minor: 3 });
    await keystore.enableMultisig();
    expect(keystore.multisigEnabled).toBe(true);
    await keystore.changePassword(PASSWORD, 'new');
    expect(keystore.password).toBe('new');
    expect(await faultOf(() => keystore.changePassword(PASSWORD, 'newer'))).toEqual({
      kind: 'wrong_password',
    });
  });
});

/** A wallet with an output of known key image in account 0, and one of unknown key image in account 1. */
function contextOf(multisig: WalletKeys['multisig'] | undefined) {
  const store = WalletStore.create(':memory:', new Uint8Array(32));
  const subaddress = { major: 1, minor: 0 };
  store.write((w) =>
    w.applyPage(
      page(0, 3, {
        received: [received(1, 1), received(2, 2)],
        outputs: [output(1, 1, 5n), unnamed(output(2, 2, 7n, { subaddress }))],
      }),
    ),
  );
  return { store, keystore: { keys: { multisig } } as unknown as Keystore };
}

const GROUP = {} as WalletKeys['multisig'];

describe('an import of multisig info', () => {
  it('is needed while an output of the account, or of any, lacks its key image', () => {
    const context = contextOf(GROUP);
    expect([undefined, 0, 1].map((account) => isMultisigImportNeeded(context, account))).toEqual([
      true,
      false,
      true,
    ]);
    context.store.write((w) => w.applyPage(page(2, 1)));
    expect(isMultisigImportNeeded(context)).toBe(false);
    context.store.close();
  });

  it('is never needed in a wallet that is not multisig', () => {
    const context = contextOf(undefined);
    expect(isMultisigImportNeeded(context)).toBe(false);
    context.store.close();
  });
});
