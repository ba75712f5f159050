import { readFileSync } from 'node:fs';
import { createHmac } from 'node:crypto';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { accountKeysOf, spendSecretFromSeed } from '../../../src/monero/cryptonote/account-keys.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { findLanguage } from '../../../src/monero/cryptonote/languages.js';
import { encodeMnemonic } from '../../../src/monero/cryptonote/mnemonic.js';
import {
  birthdayOf,
  birthdayTime,
  decryptPolyseed,
  encryptPolyseed,
  isEncrypted,
  PolyseedError,
  polyseedKey,
  type Polyseed,
} from '../../../src/monero/cryptonote/polyseed.js';
import {
  findPolyseedLanguage,
  indexOfPolyseedWord,
  POLYSEED_LANGUAGES,
  polyseedWords,
  type PolyseedLanguage,
} from '../../../src/monero/cryptonote/polyseed-languages.js';
import {
  fromCoefficients,
  toCoefficients,
  loadPolyseed,
  POLYSEED_BYTES,
  storePolyseed,
} from '../../../src/monero/cryptonote/polyseed-storage.js';
import {
  decodePolyseed,
  encodePolyseed,
  hasPolyseedLength,
  randomPolyseed,
} from '../../../src/monero/cryptonote/polyseed-words.js';
import { concatBytes, fromHex, toHex, utf8 } from '../../../src/util/bytes.js';
import { CodecError } from '../../../src/util/codec.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

interface Vectors {
  /** A seed in each language; `created`: time of its creation [Unix s]. */
  languages: { englishName: string; words: string; secret: string; created: number }[];
  ambiguous: { words: string; englishName: string; secret: string };
  /** Other spellings of the words of a seed. */
  spellings: { words: string; spelled: string[] }[];
  refused: { note: string; kind: string; text: string }[];
  keys: {
    words: string;
    birthday?: number;
    key?: string;
    spendKey?: string;
    viewKey?: string;
    address?: string;
    stored?: string;
    legacy?: string;
  }[];
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../../test/vectors/cryptonote/polyseed.json', import.meta.url), 'utf8'),
) as Vectors;

function languageOf(name: string): PolyseedLanguage {
  const found = findPolyseedLanguage(name);
  if (found === undefined) throw new Error(`no language ${name}`);
  return found;
}
const english = languageOf('English');
const englishWords = vectors.languages[0]?.words ?? '';

const anySeed: fc.Arbitrary<Polyseed> = fc
  .record({
    secret: fc.uint8Array({ minLength: 19, maxLength: 19 }),
    birthday: fc.nat({ max: 1023 }),
    features: fc.constantFrom(0, 16),
  })
  .map(({ secret, ...rest }) => ({ secret: secret.with(18, (secret[18] ?? 0) & 0x3f), ...rest }));
const anyLanguage = fc.constantFrom(...POLYSEED_LANGUAGES);

/** Returns the kind of the error that a reader of a seed throws; undefined if it throws none. */
function kindOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(PolyseedError);
    expect(error).toBeInstanceOf(CodecError);
    return (error as PolyseedError).kind;
  }
}

describe('languages of Polyseed', () => {
  it('are listed in the order of the library', () => {
    expect(POLYSEED_LANGUAGES.map(({ englishName }) => englishName)).toEqual([
      ...['English', 'Japanese', 'Korean', 'Spanish', 'French', 'Italian', 'Czech', 'Portuguese'],
      ...['Chinese (Simplified)', 'Chinese (Traditional)'],
    ]);
  });

  it.each(['', 'english', 'Deutsch', 'Español'])('do not include "%s"', (name) => {
    expect(findPolyseedLanguage(name)).toBeUndefined();
  });

  describe.each(POLYSEED_LANGUAGES)('$englishName', (language) => {
    const words = polyseedWords(language);

    it('is found by either name', () => {
      expect(findPolyseedLanguage(language.name)).toBe(language);
      expect(findPolyseedLanguage(language.englishName)).toBe(language);
    });

    it('has 2048 different words in composed letters', () => {
      expect(new Set(words).size).toBe(2048);
      expect(words.filter((word) => word !== word.normalize('NFC') || /\s/u.test(word))).toEqual([]);
    });

    it('has its words in the order of their decomposed letters, unless they are characters by frequency', () => {
      const plain = words.map((word) => {
        const letters = word.normalize('NFKD');
        return language.ignoresAccents ? letters.replaceAll(/\P{ASCII}/gu, '') : letters;
      });
      if (language.englishName.startsWith('Chinese')) expect(plain).not.toEqual(plain.toSorted());
      else expect(plain).toEqual(plain.toSorted());
    });

    it('identifies every word by each of its spellings', () => {
      const misread = words.flatMap((word, index) => {
        const spellings = [word, word.normalize('NFD'), word.toUpperCase()];
        const letters = [...word];
        if (language.hasPrefixes)
          for (let length = 4; length < letters.length; length++)
            spellings.push(letters.slice(0, length).join(''));
        if (language.ignoresAccents) spellings.push(word.normalize('NFKD').replaceAll(/\p{M}/gu, ''));
        return spellings.filter((spelling) => indexOfPolyseedWord(spelling, language) !== index);
      });
      expect(misread).toEqual([]);
      expect(words.filter((word) => indexOfPolyseedWord(`${word}x`, language) !== undefined)).toEqual([]);
    });
  });
});

describe('the words of a seed', () => {
  test.each(vectors.languages)('are read and written in $englishName', (vector) => {
    const { seed, language } = decodePolyseed(vector.words);
    expect(language.englishName).toBe(vector.englishName);
    expect(toHex(seed.secret)).toBe(vector.secret);
    expect([seed.features, birthdayOf(vector.created)]).toEqual([0, seed.birthday]);
    expect(encodePolyseed(seed, language)).toBe(vector.words);
  });

  test.each(vectors.languages)(
    'may have other letters of the same text, and other spaces, in $englishName',
    (vector) => {
      const { seed } = decodePolyseed(vector.words);
      for (const form of ['NFD', 'NFKD', 'NFC'] as const)
        for (const space of [' ', '\u3000', '\n\t ']) {
          const typed = ` ${vector.words.normalize(form).split(/\s/u).join(space)} `;
          expect(decodePolyseed(typed).seed).toEqual(seed);
          expect(hasPolyseedLength(typed)).toBe(true);
        }
    },
  );

  test.each(vectors.spellings)('may be shortened and without accents: $words', ({ words, spelled }) => {
    for (const text of spelled) expect(decodePolyseed(text)).toEqual(decodePolyseed(words));
  });

  test.each(vectors.refused)('are refused with $note', ({ text, kind }) => {
    expect(kindOf(() => decodePolyseed(text))).toBe(kind);
  });

  it('of several languages are read in the one that is named', () => {
    const { words, englishName, secret } = vectors.ambiguous;
    const language = languageOf(englishName);
    expect(toHex(decodePolyseed(words, language).seed.secret)).toBe(secret);
    expect(kindOf(() => decodePolyseed(words, languageOf('Korean')))).toBe('ambiguous');
  });

  it('of both Chinese lists are one seed, read as simplified characters', () => {
    const [simplified, traditional] = ['Chinese (Simplified)', 'Chinese (Traditional)'].map(languageOf);
    if (simplified === undefined || traditional === undefined) throw new Error('no Chinese');
    const shared = polyseedWords(simplified).flatMap((word, index) =>
      indexOfPolyseedWord(word, traditional) === undefined ? [] : [index],
    );
    expect(shared.length).toBeGreaterThan(1000);
    expect(shared.map((index) => polyseedWords(traditional)[index])).toEqual(
      shared.map((index) => polyseedWords(simplified)[index]),
    );
    const seed = firstSeedOf(shared);
    const words = encodePolyseed(seed, traditional);
    expect(decodePolyseed(words)).toEqual({ seed, language: simplified });
    expect(decodePolyseed(words, traditional)).toEqual({ seed, language: traditional });
  });

  it('of one language are read in it, whatever is named', () => {
    expect(decodePolyseed(englishWords, languageOf('French')).language).toBe(english);
  });

  it('are those of the coin: the seed of another one has a wrong checksum', () => {
    const indices = toCoefficients(decodePolyseed(englishWords).seed);
    const words = polyseedWords(english);
    const aeon = indices.map((index, i) => words[i === 1 ? index ^ 1 : index]);
    expect(kindOf(() => decodePolyseed(aeon.join(' ')))).toBe('checksum');
  });

  it('are not quoted in errors', () => {
    const wrong = englishWords.replace('swear', 'xyzzy');
    expect(() => decodePolyseed(wrong)).toThrow(/^polyseed: not all words are of one language$/);
  });

  it('give the seed back in every language, however they are typed', () => {
    fc.assert(
      fc.property(anySeed, anyLanguage, fc.boolean(), fc.boolean(), (seed, language, short, plain) => {
        const words = encodePolyseed(seed, language);
        expect(words.split(language.separator)).toHaveLength(16);
        const typed = words.split(language.separator).map((word) => {
          const kept =
            plain && language.ignoresAccents ? word.normalize('NFKD').replaceAll(/\p{M}/gu, '') : word;
          return short && language.hasPrefixes ? [...kept].slice(0, 4).join('') : kept;
        });
        expect(decodePolyseed(typed.join(' '), language)).toEqual({ seed, language });
      }),
    );
  });

  it('have a checksum that detects any one wrong word', () => {
    const another = fc.record({ place: fc.nat({ max: 15 }), change: fc.integer({ min: 1, max: 2047 }) });
    fc.assert(
      fc.property(anySeed, another, (seed, { place, change }) => {
        const indices = toCoefficients(seed);
        indices[place] = (indices[place] ?? 0) ^ change;
        expect(kindOf(() => fromCoefficients(indices))).toBe('checksum');
      }),
    );
  });

  it('give a seed or an error, whatever they are', () => {
    const word = fc.oneof(fc.constantFrom(...polyseedWords(english)), fc.string());
    fc.assert(
      fc.property(fc.array(word, { minLength: 14, maxLength: 18 }), (words) => {
        expect([undefined, 'length', 'words', 'ambiguous', 'checksum', 'features']).toContain(
          kindOf(() => decodePolyseed(words.join(' '))),
        );
      }),
    );
  });
});

describe('a random seed', () => {
  const time = 1_700_000_000;

  it.each(POLYSEED_LANGUAGES)('is read in its language alone: $englishName', (language) => {
    const rng = seededRng(language.englishName);
    for (let i = 0; i < 20; i++) {
      const seed = randomPolyseed(rng, time, language);
      expect(decodePolyseed(encodePolyseed(seed, language))).toEqual({ seed, language });
      expect(seed).toMatchObject({ birthday: birthdayOf(time), features: 0 });
    }
  });

  it('is drawn again while another language has its words', () => {
    // The Chinese lists have characters in common.
    const [simplified, traditional] = ['Chinese (Simplified)', 'Chinese (Traditional)'].map(languageOf);
    if (simplified === undefined || traditional === undefined) throw new Error('no Chinese');
    const shared = polyseedWords(simplified).flatMap((word, index) =>
      indexOfPolyseedWord(word, traditional) === undefined ? [] : [index],
    );
    const ambiguous = firstSeedOf(shared);
    const { secret } = decodePolyseed(englishWords).seed;
    const draws = [ambiguous.secret, secret];
    const seed = randomPolyseed(
      () => draws.shift() ?? new Uint8Array(19),
      birthdayTime(ambiguous),
      simplified,
    );
    expect(draws).toEqual([]);
    expect(seed.secret).toEqual(secret);
  });
});

/** Returns a seed without features all of whose words have an index of a list. */
function firstSeedOf(indices: readonly number[]): Polyseed {
  const rng = seededRng('shared words');
  for (;;) {
    const picks = [...rng(30)].flatMap((_, i, bytes) =>
      i % 2 === 0 ? [(bytes[i] ?? 0) * 256 + (bytes[i + 1] ?? 0)] : [],
    );
    const data = picks.map((pick, i) => {
      const fit = i < 5 ? indices.filter((index) => index % 2 === 0) : indices;
      return fit[pick % fit.length] ?? 0;
    });
    for (const checksum of indices) {
      try {
        return fromCoefficients([checksum, ...data]);
      } catch (error) {
        if (!(error instanceof PolyseedError)) throw error;
      }
    }
  }
}

describe('the birthday', () => {
  it.each([
    [0, 0],
    [1_635_767_999, 0],
    [1_635_768_000, 0],
    [1_635_768_000 + 2_629_745, 0],
    [1_635_768_000 + 2_629_746, 1],
    [1_638_446_400, 1],
    [3_118_651_200, 0x233],
    [4_305_268_800, 0x3f7],
  ])('of a seed made at %i is %i', (time, birthday) => {
    expect(birthdayOf(time)).toBe(birthday);
  });

  it('is at most a month before the creation, and never after it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_635_768_000, max: 4_320_000_000 }), (time) => {
        const begin = birthdayTime({ birthday: birthdayOf(time) });
        expect(begin).toBeLessThanOrEqual(time);
        expect(begin).toBeGreaterThan(time - 2_629_746);
      }),
    );
  });

  it('is part of the key: the same secret has other keys in other months', () => {
    const { seed } = decodePolyseed(englishWords);
    expect(polyseedKey({ ...seed, birthday: 2 })).not.toEqual(polyseedKey(seed));
  });
});

describe('the keys of a seed', () => {
  test.each(vectors.keys)('are those of other wallets: $words', (vector) => {
    const { seed } = decodePolyseed(vector.words);
    const key = polyseedKey(seed);
    const keys = accountKeysOf(spendSecretFromSeed(key));
    const legacy = findLanguage('English');
    if (legacy === undefined) throw new Error('no English');
    const found = {
      words: encodePolyseed(seed, english),
      birthday: seed.birthday,
      key: toHex(key),
      spendKey: toHex(keys.spendSecret ?? new Uint8Array()),
      viewKey: toHex(keys.viewSecret),
      address: formatAddress({ network: 'mainnet', kind: 'standard', ...keys }),
      stored: toHex(storePolyseed(seed)),
      legacy: encodeMnemonic(key, legacy),
    };
    expect(found).toMatchObject(vector);
  });

  it('come from 10,000 iterations over the padded secret and a salt of coin, birthday and features', () => {
    const { seed } = decodePolyseed(englishWords);
    const padded = concatBytes(seed.secret, new Uint8Array(13));
    const salt = fromHex('504f4c5953454544206b657900ffffff00000000010000000000000000000000');
    expect(toHex(polyseedKey(seed))).toBe(toHex(plainPbkdf2(padded, salt)));
  });

  it('do not exist while it is encrypted', () => {
    const { seed } = decodePolyseed(englishWords);
    expect(() => polyseedKey(encryptPolyseed(seed, 'x'))).toThrow(RangeError);
  });
});

/** PBKDF2-HMAC-SHA256 of RFC 8018 with 10,000 iterations and one block. */
function plainPbkdf2(password: Uint8Array, salt: Uint8Array): Uint8Array {
  const hmac = (text: Uint8Array): Uint8Array => createHmac('sha256', password).update(text).digest();
  let block = hmac(concatBytes(salt, Uint8Array.of(0, 0, 0, 1)));
  const sum = Uint8Array.from(block);
  for (let i = 1; i < 10_000; i++) {
    block = hmac(block);
    block.forEach((byte, j) => (sum[j] = (sum[j] ?? 0) ^ byte));
  }
  return sum;
}

describe('encryption with a passphrase', () => {
  const { seed } = decodePolyseed(englishWords);

  it('XORs the secret with a mask of the passphrase, of which the unused bits are left out', () => {
    const mask = plainPbkdf2(utf8('password'), fromHex('504f4c5953454544206d61736b00ffff'));
    const { secret, features } = encryptPolyseed(seed, 'password');
    const wanted = seed.secret.map((byte, i) => byte ^ (mask[i] ?? 0));
    expect(toHex(secret)).toBe(toHex(wanted.with(18, (wanted[18] ?? 0) & 0x3f)));
    expect(features).toBe(16);
  });

  it('is undone by the same passphrase alone, and told by the words', () => {
    fc.assert(
      fc.property(anySeed, fc.string(), fc.string(), (any, passphrase, other) => {
        const plain = { ...any, features: 0 };
        const { seed: hidden } = decodePolyseed(
          encodePolyseed(encryptPolyseed(plain, passphrase), english),
          english,
        );
        expect([isEncrypted(plain), isEncrypted(hidden)]).toEqual([false, true]);
        expect(decryptPolyseed(hidden, passphrase)).toEqual(plain);
        if (other.normalize('NFKD') !== passphrase.normalize('NFKD'))
          expect(decryptPolyseed(hidden, other)).not.toEqual(plain);
      }),
      { numRuns: 20 },
    );
  });

  it('does not depend on how the letters of the passphrase are composed', () => {
    expect(encryptPolyseed(seed, 'se\u00f1al \uff21')).toEqual(encryptPolyseed(seed, 'sen\u0303al A'));
  });

  it('is done once, and undone once', () => {
    const hidden = encryptPolyseed(seed, 'x');
    expect(() => encryptPolyseed(hidden, 'x')).toThrow(RangeError);
    expect(() => decryptPolyseed(seed, 'x')).toThrow(RangeError);
  });
});

describe('the stored form of a seed', () => {
  it('has 32 bytes, and gives the seed back', () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const stored = storePolyseed(seed);
        expect(stored).toHaveLength(POLYSEED_BYTES);
        expect(loadPolyseed(stored)).toEqual(seed);
      }),
    );
  });

  it('is refused with any one bit changed', () => {
    const stored = storePolyseed(decodePolyseed(englishWords).seed);
    for (let bit = 0; bit < 8 * stored.length; bit++) {
      const changed = Uint8Array.from(stored);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(['format', 'checksum', 'features']).toContain(kindOf(() => loadPolyseed(changed)));
    }
  });
});
