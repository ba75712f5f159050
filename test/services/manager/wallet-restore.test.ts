import { describe, expect, it, test } from '@jest/globals';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { accountKeysOf, spendSecretFromSeed } from '../../../src/monero/cryptonote/account-keys.js';
import { findLanguage, OLD_ENGLISH } from '../../../src/monero/cryptonote/languages.js';
import { addSeedOffset, encodeMnemonic } from '../../../src/monero/cryptonote/mnemonic.js';
import {
  requireLanguage,
  walletFromMultisigSeed,
  walletFromSeed,
} from '../../../src/services/manager/wallet-restore.js';
import { birthdayTime, encryptPolyseed } from '../../../src/monero/cryptonote/polyseed.js';
import { findPolyseedLanguage } from '../../../src/monero/cryptonote/polyseed-languages.js';
import { storePolyseed } from '../../../src/monero/cryptonote/polyseed-storage.js';
import { multisigSeed } from '../../../src/monero/wallet/multisig/seed.js';
import { SEED, spendOf, STORED, WORDS, wordsOf } from '../../support/wallets/polyseed-wallets.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault } from '../../support/wallets/service-wallet.js';
import { groupOf, randomSigners } from '../../monero/wallet/multisig/groups.js';

const rng = seededRng('restore');
const english = requireLanguage('English');
const spendSecret = spendSecretFromSeed(rng(32));
const words = encodeMnemonic(spendSecret, english);

const restoring = (changes: Partial<Parameters<typeof walletFromSeed>[0]>) =>
  walletFromSeed({
    ...{ filename: 'w', password: 'p', seed: words, restoreHeight: 5, language: '', seedOffset: '' },
    ...changes,
  });

describe('a wallet restored from words', () => {
  it('has the keys of its seed, the password and the restore height of the request', async () => {
    expect(await restoring({})).toEqual({
      wallet: { keys: accountKeysOf(spendSecret), language: english, password: 'p', restoreHeight: 5 },
      seed: words,
      deprecated: false,
    });
  });

  test.each(['Deutsch', '日本語'])(
    'keeps the language of its words, %s, whatever is asked for',
    async (name) => {
      const language = requireLanguage(name);
      const seed = encodeMnemonic(spendSecret, language);
      const restored = await restoring({ seed, language: 'English' });
      expect(restored).toMatchObject({ wallet: { language }, seed });
    },
  );

  it('from the old word list gets words of the language that is asked for, and the note that they are new', async () => {
    const restored = await restoring({
      // Without a checksum: some words of the old list share their first letters.
      seed: encodeMnemonic(spendSecret, OLD_ENGLISH).split(' ').slice(0, 24).join(' '),
      language: 'English',
    });
    expect(restored.wallet.keys).toEqual(accountKeysOf(spendSecret));
    expect([restored.wallet.language, restored.seed, restored.deprecated]).toEqual([english, words, true]);
  });

  test.each(['', 'Klingon'])('from the old word list needs a known language, unlike %j', async (language) => {
    const seed = encodeMnemonic(spendSecret, OLD_ENGLISH).split(' ').slice(0, 24).join(' ');
    await expect(restoring({ seed, language })).rejects.toMatchObject(
      fault({ kind: 'unknown_language', language }),
    );
  });

  it('with an offset passphrase has the keys beneath it, and is answered with the plain words', async () => {
    const offset = encodeMnemonic(await addSeedOffset(spendSecret, 'secret'), english);
    const restored = await restoring({ seed: offset, seedOffset: 'secret' });
    expect(restored).toMatchObject({ wallet: { keys: accountKeysOf(spendSecret) }, seed: words });
    const { wallet } = await restoring({ seed: offset, seedOffset: 'another' });
    expect(wallet.keys.spendPublicKey).not.toEqual(publicKeyOf(spendSecret));
  });

  test.each(['', '  \n'])("needs words: %j is refused with upstream's message", async (seed) => {
    await expect(restoring({ seed })).rejects.toMatchObject(
      fault({
        kind: 'bad_seed',
        text: "field 'seed' is mandatory. Please provide a seed you want to restore from.",
      }),
    );
  });

  test.each([
    ['too few words', words.split(' ').slice(2).join(' ')],
    ['a word of no list', words.replace(/^\S+/, 'xyzzy')],
    ['another checksum word', words.replace(/\S+$/, words.split(' ')[0] === 'abbey' ? 'zebra' : 'abbey')],
  ])('is refused for %s', async (_, seed) => {
    await expect(restoring({ seed })).rejects.toMatchObject({ fault: { kind: 'bad_seed' } });
  });
});

describe('a wallet restored from a Polyseed', () => {
  const spend = spendOf(SEED);

  it('has the keys of its seed, keeps the seed, and was not there before its birthday', async () => {
    expect(await restoring({ seed: WORDS, restoreHeight: 0 })).toEqual({
      wallet: {
        keys: accountKeysOf(spend),
        polyseed: STORED,
        createdAt: birthdayTime(SEED),
        language: findPolyseedLanguage('English'),
        password: 'p',
        restoreHeight: 0,
      },
      seed: encodeMnemonic(spend, english),
      deprecated: false,
    });
  });

  test.each(['Spanish', 'Japanese', 'Chinese (Traditional)'])(
    'keeps the language of its words, %s, and is told its 25 words in English',
    async (name) => {
      const language = findPolyseedLanguage(name);
      const restored = await restoring({ seed: wordsOf(SEED, language), language: 'Deutsch' });
      expect(restored).toMatchObject({ wallet: { language }, seed: encodeMnemonic(spend, english) });
    },
  );

  it('has a key with the offset removed where a passphrase is given for a plain seed', async () => {
    const { wallet, seed } = await restoring({ seed: WORDS, seedOffset: 'x' });
    const offset = wallet.keys.spendSecret;
    expect(offset).not.toEqual(spend);
    expect(offset && (await addSeedOffset(offset, 'x'))).toEqual(spend);
    expect(wallet.polyseed).toEqual(STORED);
    expect((await restoring({ seed })).wallet.keys).toEqual(wallet.keys);
  });

  it('of an encrypted seed has the keys of the plain one with the passphrase alone', async () => {
    const hidden = encryptPolyseed(SEED, 'p\u00e4ss');
    const seed = wordsOf(hidden);
    const restored = await restoring({ seed, seedOffset: 'pa\u0308ss' });
    expect(restored.wallet.keys).toEqual(accountKeysOf(spend));
    expect(restored.wallet.polyseed).toEqual(storePolyseed(hidden));
    expect((await restoring({ seed, seedOffset: 'other' })).wallet.keys).not.toEqual(accountKeysOf(spend));
    await expect(restoring({ seed })).rejects.toMatchObject(
      fault({
        kind: 'bad_seed',
        reason: 'it is encrypted, and needs its passphrase',
        text: 'encrypted polyseed needs a passphrase',
      }),
    );
  });

  test.each([
    ['a wrong word', WORDS.replace('tail', 'zoo'), 'wrong checksum'],
    ['a word of no language', WORDS.replace('tail', 'xyzzy'), 'not all words are of one language'],
    [
      'words of several languages',
      'impo sort usua cabi venu nobl oliv clim cont barr marc auto prod vaca torn fati',
      'it must be named',
    ],
    [
      'unknown features',
      'include domain claim resemble urban hire lunch bird crucial fire best wife ring warm ignore model',
      'unsupported features',
    ],
  ])('is refused for %s', async (_, seed, reason) => {
    await expect(restoring({ seed })).rejects.toMatchObject({
      fault: { kind: 'bad_seed', reason: expect.stringContaining(reason) },
    });
  });

  it('takes words of several languages in the one that is named', async () => {
    const seed = 'impo sort usua cabi venu nobl oliv clim cont barr marc auto prod vaca torn fati';
    const restored = await restoring({ seed, language: 'Spanish' });
    expect(restored.wallet.language).toBe(findPolyseedLanguage('Spanish'));
  });
});

describe('a participant restored from a multisig seed', () => {
  const [account] = groupOf(randomSigners(3, rng), 2, rng);
  if (account === undefined) throw new Error('a group');

  it('has the keys and the state of its group, and no language', () => {
    const seed = multisigSeed(account);
    const { signerSecret, commonSecret, spendPublicKey, ...group } = account;
    expect(walletFromMultisigSeed({ filename: 'w', seed, password: 'p', restoreHeight: 9 })).toEqual({
      keys: {
        ...{ spendPublicKey, viewPublicKey: publicKeyOf(commonSecret) },
        ...{ viewSecret: commonSecret, spendSecret: signerSecret },
      },
      multisig: group,
      language: undefined,
      password: 'p',
      restoreHeight: 9,
    });
  });

  test.each(['', '00', words])('is refused for %j', (seed) => {
    const request = { filename: 'w', seed, password: '', restoreHeight: 0 };
    expect(() => walletFromMultisigSeed(request)).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ kind: 'bad_seed' }) }),
    );
  });
});

describe('a language', () => {
  it('is known by its own name and by its English name', () => {
    expect(requireLanguage('Deutsch')).toBe(findLanguage('Deutsch'));
    expect(requireLanguage('German')).toBe(requireLanguage('Deutsch'));
  });

  test.each(['', 'english ', 'Latin'])('with the name %j is unknown', (language) => {
    expect(() => requireLanguage(language)).toThrow(fault({ kind: 'unknown_language', language }));
  });
});
