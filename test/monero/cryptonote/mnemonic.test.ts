import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { ORDER } from '../../../src/monero/crypto/scalar.js';
import { spendSecretFromSeed, viewSecretFromSpend } from '../../../src/monero/cryptonote/account-keys.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import {
  canonical,
  findLanguage,
  LANGUAGES,
  MATCH_ORDER,
  OLD_ENGLISH,
  prefixOf,
  wordList,
  type Language,
} from '../../../src/monero/cryptonote/languages.js';
import {
  addSeedOffset,
  decodeMnemonic,
  encodeMnemonic,
  isReadByPrefixes,
  removeSeedOffset,
} from '../../../src/monero/cryptonote/mnemonic.js';
import { bytes32, fromHex, toHex } from '../../../src/util/bytes.js';
import { CodecError } from '../../../src/util/codec.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

interface Account {
  mnemonic: string;
  address: string;
  spendKey: string;
  viewKey: string;
}

interface Vectors {
  created: (Account & { language: string; englishName: string })[];
  restored: (Account & { note: string; text: string; language?: string; deprecated: boolean })[];
  offsets: (Account & { passphrase: string; text: string; textKey: string })[];
  refused: { note: string; text: string }[];
  /** Mnemonics that the reference restores with another spend key. */
  misread: { englishName: string; mnemonic: string; seed: string; referenceKey: string }[];
  /** Wallets of the reference on a regtest chain. */
  regtest: { name: string; mnemonic: string; address: string; viewKey: string }[];
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../../test/vectors/cryptonote/mnemonics.json', import.meta.url), 'utf8'),
) as Vectors;

const languageOf = (name: string): Language => {
  const found = findLanguage(name);
  if (found === undefined) throw new Error(`no language ${name}`);
  return found;
};
const english = languageOf('English');
const englishText = vectors.created.find(({ language }) => language === 'English')?.mnemonic ?? '';

/** Spend key, view key and mainnet address of a seed. */
function accountOf(seed: Uint8Array): Omit<Account, 'mnemonic'> {
  const spendSecret = spendSecretFromSeed(seed);
  const viewSecret = viewSecretFromSpend(spendSecret);
  const address = formatAddress({
    network: 'mainnet',
    kind: 'standard',
    spendPublicKey: publicKeyOf(spendSecret),
    viewPublicKey: publicKeyOf(viewSecret),
  });
  return { address, spendKey: toHex(spendSecret), viewKey: toHex(viewSecret) };
}

describe('languages', () => {
  it('are listed in the order of get_languages', () => {
    expect(LANGUAGES.map(({ name }) => name)).toEqual([
      ...['Deutsch', 'English', 'Español', 'Français', 'Italiano', 'Nederlands', 'Português'],
      ...['русский язык', '日本語', '简体中文 (中国)', 'Esperanto', 'Lojban'],
    ]);
    expect(LANGUAGES.map(({ englishName }) => englishName)).toEqual([
      ...['German', 'English', 'Spanish', 'French', 'Italian', 'Dutch', 'Portuguese'],
      ...['Russian', 'Japanese', 'Chinese (simplified)', 'Esperanto', 'Lojban'],
    ]);
  });

  it('are all tried when a mnemonic is read, old English last', () => {
    expect(new Set(MATCH_ORDER)).toEqual(new Set([...LANGUAGES, OLD_ENGLISH]));
    expect(MATCH_ORDER).toHaveLength(LANGUAGES.length + 1);
    expect(MATCH_ORDER.at(-1)).toBe(OLD_ENGLISH);
  });

  test.each(LANGUAGES)('$englishName is found by either name', (language) => {
    expect(findLanguage(language.name)).toBe(language);
    expect(findLanguage(language.englishName)).toBe(language);
  });

  test.each(['', 'english', 'EnglishOld', 'English (old)', 'Klingon', ' English'])(
    '"%s" is not one to write in',
    (name) => {
      expect(findLanguage(name)).toBeUndefined();
    },
  );

  describe.each([...LANGUAGES, OLD_ENGLISH])('$englishName', (language) => {
    const { words, byWord, byPrefix } = wordList(language);

    it('has 1626 different words, each without space and in composed letters', () => {
      expect(words).toHaveLength(1626);
      expect(new Set(words).size).toBe(1626);
      expect(byWord.size).toBe(1626);
      expect(words.filter((word) => word === '' || /\s/u.test(word))).toEqual([]);
      expect(words.filter((word) => word !== word.normalize('NFC'))).toEqual([]);
    });

    it('is read once', () => {
      expect(wordList(language).words).toBe(words);
    });

    it('identifies its words by their first letters, except in old English', () => {
      if (language === OLD_ENGLISH) expect(byPrefix.size).toBeLessThan(1626);
      else expect(byPrefix.size).toBe(1626);
    });

    it('assigns shared first letters to the later word', () => {
      words.forEach((word, i) => {
        expect(byPrefix.get(canonical(prefixOf(word, language)))).toBeGreaterThanOrEqual(i);
      });
    });
  });

  it('count letters, not bytes or code units', () => {
    expect(prefixOf('æon', { ...english, prefixLength: 2 })).toBe('æo');
    expect(prefixOf('\u{20000}\u{20001}x', { ...english, prefixLength: 2 })).toBe('\u{20000}\u{20001}');
    expect(prefixOf('ab', { ...english, prefixLength: 4 })).toBe('ab');
  });
});

describe('encodeMnemonic', () => {
  test.each(vectors.created)("writes the reference's words in $englishName: $address", (wallet) => {
    expect(encodeMnemonic(fromHex(wallet.spendKey), languageOf(wallet.language))).toBe(wallet.mnemonic);
    expect(encodeMnemonic(fromHex(wallet.spendKey), languageOf(wallet.englishName))).toBe(wallet.mnemonic);
  });

  test.each([0, 16, 31, 33, 64])('refuses a seed of %i bytes', (length) => {
    expect(() => encodeMnemonic(new Uint8Array(length), english)).toThrow(RangeError);
  });
});

describe('decodeMnemonic', () => {
  test.each(vectors.created)('reads a $englishName wallet of the reference: $address', (wallet) => {
    const { seed, language, deprecated } = decodeMnemonic(wallet.mnemonic);
    expect(toHex(seed)).toBe(wallet.spendKey);
    expect(language.name).toBe(wallet.language);
    expect(deprecated).toBe(false);
    const { address, spendKey, viewKey } = wallet;
    expect(accountOf(seed)).toEqual({ address, spendKey, viewKey });
  });

  test.each(vectors.regtest)('reads the regtest wallet "$name"', ({ mnemonic, address, viewKey }) => {
    expect(accountOf(decodeMnemonic(mnemonic).seed)).toMatchObject({ address, viewKey });
  });

  test.each(vectors.restored)('restores as the reference does: $note', (wallet) => {
    const { seed, language, deprecated } = decodeMnemonic(wallet.text);
    expect(deprecated).toBe(wallet.deprecated);
    const writable = language === OLD_ENGLISH ? languageOf(wallet.language ?? '') : language;
    expect(encodeMnemonic(seed, writable)).toBe(wallet.mnemonic);
    const { address, spendKey, viewKey } = wallet;
    expect(accountOf(seed)).toEqual({ address, spendKey, viewKey });
  });

  test.each(vectors.refused)('refuses $note', ({ text }) => {
    expect(() => decodeMnemonic(text)).toThrow(CodecError);
  });

  it('distinguishes a wrong checksum word from an unknown word', () => {
    const words = englishText.split(' ');
    const other = words.find((word) => word.slice(0, 3) !== words[24]?.slice(0, 3)) ?? '';
    const wrong = [...words.slice(0, 24), other].join(' ');
    expect(() => decodeMnemonic(wrong)).toThrow('wrong checksum word');
    expect(() => decodeMnemonic(englishText.replace(/^\S+/u, 'xyzzy'))).toThrow('not all words');
  });

  it('quotes none of the words in its errors', () => {
    const secret = [...englishText.split(' ').slice(0, 24), 'xyzzy'].join(' ');
    let message = '';
    try {
      decodeMnemonic(secret);
    } catch (error) {
      message = String(error);
    }
    expect(message).not.toBe('');
    for (const word of secret.split(' ')) expect(message.split(/\W+/u)).not.toContain(word);
  });

  test.each(vectors.created)('reads decomposed letters and wide spaces in $englishName', (wallet) => {
    const typed = wallet.mnemonic.normalize('NFD').replaceAll(' ', '\u3000');
    expect(toHex(decodeMnemonic(typed).seed)).toBe(wallet.spendKey);
  });

  test.each(LANGUAGES)('round-trips any seed in $englishName', (language) => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (seed) => {
        const text = encodeMnemonic(seed, language);
        expect(text.split(' ')).toHaveLength(25);
        expect(decodeMnemonic(text)).toEqual({ seed, language, deprecated: false });
      }),
      { numRuns: randomRuns(50) },
    );
  });

  describe.each(vectors.misread)('of $englishName that consists of prefixes of English words', (vector) => {
    const language = languageOf(vector.englishName);
    const seed = fromHex(vector.seed);

    it('is read in its own language', () => {
      expect(encodeMnemonic(seed, language)).toBe(vector.mnemonic);
      expect(decodeMnemonic(vector.mnemonic)).toEqual({ seed, language, deprecated: false });
    });

    it('is known to be misread by prefixes', () => {
      expect(isReadByPrefixes(seed, language)).toBe(false);
      expect(isReadByPrefixes(seed, english)).toBe(true);
      const prefixes = vector.mnemonic.split(' ').map((word) => word.slice(0, 3));
      expect(toHex(decodeMnemonic(prefixes.join(' ')).seed)).toBe(vector.referenceKey);
    });
  });

  it('reads a mnemonic of which one word is shortened', () => {
    const [first = '', ...rest] = englishText.split(' ');
    expect(decodeMnemonic([first.slice(0, 3), ...rest].join(' '))).toEqual(decodeMnemonic(englishText));
  });

  it('answers any text with a seed or a CodecError', () => {
    const word = fc.constantFrom(...wordList(english).words, '', '\u0301', '\ud83d', 'ß');
    fc.assert(
      fc.property(fc.array(word, { minLength: 20, maxLength: 30 }), (words) => {
        try {
          expect(decodeMnemonic(words.join(' ')).seed).toHaveLength(32);
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError);
        }
      }),
      { numRuns: randomRuns(100) },
    );
  });

  it('refuses a million words quickly', () => {
    expect(() => decodeMnemonic('abbey '.repeat(1_000_000))).toThrow('expected 25 words');
  });
});

describe('spendSecretFromSeed', () => {
  it('reduces modulo the group order', () => {
    const order = fromHex(ORDER.toString(16).padStart(64, '0')).reverse();
    expect(toHex(spendSecretFromSeed(order))).toBe('00'.repeat(32));
  });

  test.each([0, 31, 33])('refuses %i bytes', (length) => {
    expect(() => spendSecretFromSeed(new Uint8Array(length))).toThrow(RangeError);
  });
});

describe('seed offset', () => {
  test.each(vectors.offsets)('is removed as the reference does: $address', async (wallet) => {
    const { seed, language } = decodeMnemonic(wallet.text);
    expect(toHex(seed)).toBe(wallet.textKey);
    const key = await removeSeedOffset(seed, wallet.passphrase);
    expect(encodeMnemonic(key, language)).toBe(wallet.mnemonic);
    const { address, spendKey, viewKey } = wallet;
    expect(accountOf(key)).toEqual({ address, spendKey, viewKey });
    expect(await addSeedOffset(key, wallet.passphrase)).toEqual(spendSecretFromSeed(seed));
  });

  it('gives another key for another passphrase', async () => {
    const key = bytes32<'SecretKey'>(decodeMnemonic(englishText).seed, 'SecretKey');
    const hidden = await addSeedOffset(key, 'one');
    expect(await removeSeedOffset(hidden, 'two')).not.toEqual(key);
    expect(await removeSeedOffset(hidden, 'one')).toEqual(key);
  });
});
