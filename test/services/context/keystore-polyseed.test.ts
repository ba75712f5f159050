import { describe, expect, it } from '@jest/globals';
import { encryptPolyseed } from '../../../src/monero/cryptonote/polyseed.js';
import { POLYSEED_LANGUAGES } from '../../../src/monero/cryptonote/polyseed-languages.js';
import { storePolyseed } from '../../../src/monero/cryptonote/polyseed-storage.js';
import { secretsOfWords } from '../../../src/services/context/seed-words.js';
import { wordsOfStoredPolyseed } from '../../../src/services/context/keystore.js';
import { accountKeysOf } from '../../../src/monero/cryptonote/account-keys.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import { Secret } from '../../../src/util/secret.js';
import { concatBytes, utf8 } from '../../../src/util/bytes.js';
import { loadKeysFile, saveKeysFile } from '../../../src/store/keys/keys-file-disk.js';
import { wipeKeys, type WalletKeys } from '../../../src/monero/wallet/keys.js';
import { keysFileOf, KeystoreFiles, keystoreOf, PASSWORD } from '../../support/wallets/keystores.js';
import { SEED, spendOf, STORED, WORDS, wordsOf } from '../../support/wallets/polyseed-wallets.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { faultOf } from '../../support/wallets/test-wallet.js';

const spend = spendOf(SEED);

/** Keys of a wallet with a stored Polyseed. */
function keysOf(stored = STORED, spendSecret = spend): WalletKeys {
  const { spendPublicKey, viewPublicKey, viewSecret } = accountKeysOf(spendSecret);
  return {
    network: 'mainnet',
    ...{ spendPublicKey, viewPublicKey },
    viewSecret: new Secret(viewSecret),
    spendSecret: new Secret(Uint8Array.from(spendSecret) as SecretKey),
    polyseed: new Secret(Uint8Array.from(stored)),
  };
}

const open = (keys = keysOf(), seedLanguage = 'English') =>
  keystoreOf(keys, { backgroundSync: 'reuse-wallet-password', file: { seedLanguage, polyseed: STORED } });

describe('the words of a stored Polyseed', () => {
  it.each(POLYSEED_LANGUAGES)('are those of the language of the wallet: $englishName', (language) => {
    for (const name of [language.name, language.englishName])
      expect(wordsOfStoredPolyseed(STORED, spend, name)).toBe(wordsOf(SEED, language));
  });

  it.each(['', 'Klingon', 'Deutsch'])('are English words where the language is %j', (name) => {
    expect(wordsOfStoredPolyseed(STORED, spend, name)).toBe(WORDS);
  });

  it('do not depend on a passphrase that is stored behind the seed', () => {
    expect(wordsOfStoredPolyseed(concatBytes(STORED, utf8('x')), spend, '')).toBe(WORDS);
  });

  it('are those of the encrypted seed where it is encrypted', async () => {
    const hidden = encryptPolyseed(SEED, 'passphrase');
    const words = wordsOfStoredPolyseed(storePolyseed(hidden), spend, '') ?? '';
    expect(words).toBe(wordsOf(hidden));
    expect((await secretsOfWords(words, 'passphrase')).spendSecret).toEqual(spend);
  });

  it('are not given where an offset passphrase belongs to them: they would restore another wallet', async () => {
    const { spendSecret } = await secretsOfWords(WORDS, 'offset');
    expect(spendSecret).not.toEqual(spend);
    expect(wordsOfStoredPolyseed(STORED, spendSecret, '')).toBeUndefined();
  });
});

describe('a wallet with a Polyseed', () => {
  it('answers a query for its seed with 16 words', () => {
    expect(open().query('mnemonic')).toBe(WORDS);
    expect(open(keysOf(), 'español').query('mnemonic').split(' ')).toHaveLength(16);
  });

  it('answers with 25 English words where its key has an offset', async () => {
    const { spendSecret } = await secretsOfWords(WORDS, 'offset');
    const words = open(keysOf(STORED, spendSecret), '日本語').query('mnemonic');
    expect(words).toMatch(/^([a-z]+ ){24}[a-z]+$/);
    expect(await secretsOfWords(words, '')).toEqual({ spendSecret });
  });

  it('has no Polyseed in memory while its spend key is put away', () => {
    const keys = keysOf();
    const keystore = open(keys);
    keystore.dropSpendKey();
    expect(keystore.keys.polyseed).toBeUndefined();
    expect(() => keys.polyseed?.expose()).toThrow('wipe');
  });

  it('has none once its keys are wiped', () => {
    const keys = keysOf();
    wipeKeys(keys);
    expect(() => keys.polyseed?.expose()).toThrow('wipe');
  });

  it('in memory takes the Polyseed back from its words, and shows 25 words if those were given', async () => {
    const keystore = open();
    const legacy = open(keysOf(), 'English').query('spend_key');
    keystore.dropSpendKey();
    const given = await secretsOfWords(WORDS, '');
    keystore.restoreSpendKey(await keystore.recoverSecrets(PASSWORD, given), PASSWORD);
    expect(keystore.query('mnemonic')).toBe(WORDS);
    keystore.dropSpendKey();
    const spendSecret = Uint8Array.from(spend) as SecretKey;
    keystore.restoreSpendKey(await keystore.recoverSecrets(PASSWORD, { spendSecret }), PASSWORD);
    expect(keystore.query('spend_key')).toBe(legacy);
    expect(keystore.query('mnemonic').split(' ')).toHaveLength(25);
    expect(keystore.whole).not.toHaveProperty('polyseed');
  });
});

describe('the keys file of a wallet with a Polyseed', () => {
  const files = new KeystoreFiles();
  const paths = () => ({ path: files.path, store: files.store });
  const onDisk = () =>
    keystoreOf(keysOf(), {
      backgroundSync: 'reuse-wallet-password',
      file: { polyseed: STORED },
      paths: paths(),
    });

  it('keeps it under another password, with another lookahead, and when it is written again', async () => {
    const keystore = onDisk();
    await keystore.changePassword(PASSWORD, 'new');
    await keystore.setLookahead({ major: 2, minor: 3 });
    expect((await files.load('new')).polyseed).toEqual(STORED);
    expect(keystore.whole.polyseed).toEqual(STORED);
  });

  it('gives it back with the spend key, and only under the password', async () => {
    const keystore = onDisk();
    await keystore.restoreFile();
    keystore.dropSpendKey();
    expect(await faultOf(() => keystore.recoverSecrets('wrong', undefined))).toEqual({
      kind: 'wrong_password',
    });
    const recovered = await keystore.recoverSecrets(PASSWORD, undefined);
    expect(recovered).toEqual({ spendSecret: spend, polyseed: STORED });
    keystore.restoreSpendKey(recovered, PASSWORD);
    recovered.polyseed?.fill(0);
    expect(keystore.query('mnemonic')).toBe(WORDS);
  });

  it('counts, not what is given: it stays where the spend key comes from 25 words', async () => {
    const keystore = onDisk();
    await keystore.restoreFile();
    keystore.dropSpendKey();
    const recovered = await keystore.recoverSecrets(PASSWORD, { spendSecret: spend });
    expect(recovered.polyseed).toEqual(STORED);
  });

  it('does not pass it to the background files', async () => {
    const keystore = onDisk();
    await keystore.setBackgroundSync('custom-background-password', 'background');
    expect((await files.load()).polyseed).toEqual(STORED);
    const background = await loadKeysFile(`${files.store}.background.keys`, 'background', 1);
    expect(background).not.toHaveProperty('polyseed');
    expect(background).not.toHaveProperty('spendSecret');
  });

  it('that lost it, because an older program wrote it, leaves a wallet with 25 words', async () => {
    const keystore = onDisk();
    await saveKeysFile(files.path, keysFileOf(keysOf()), PASSWORD, 1, seededRng('older'));
    keystore.dropSpendKey();
    const recovered = await keystore.recoverSecrets(PASSWORD, undefined);
    expect(recovered).not.toHaveProperty('polyseed');
    keystore.restoreSpendKey(recovered, PASSWORD);
    expect(keystore.query('mnemonic').split(' ')).toHaveLength(25);
    await keystore.changePassword(PASSWORD, 'new');
  });
});
