import type { Rng } from '../../util/random.js';
import { birthdayOf, LAST_MASK, PolyseedError, SECRET_BYTES, type Polyseed } from './polyseed.js';
import {
  indexOfPolyseedWord,
  POLYSEED_LANGUAGES,
  polyseedWords,
  type PolyseedLanguage,
} from './polyseed-languages.js';
import { COEFFICIENTS, fromCoefficients, toCoefficients } from './polyseed-storage.js';

/**
 * Seed and language of decoded words.
 * @example
 * const given = randomPolyseed(systemRng, 1_700_000_000, POLYSEED_LANGUAGES[0]);
 * const { seed }: DecodedPolyseed = decodePolyseed(encodePolyseed(given, POLYSEED_LANGUAGES[0]));
 * seed; // => given
 */
export interface DecodedPolyseed {
  readonly seed: Polyseed;
  readonly language: PolyseedLanguage;
}

/** Splits a text at white space, also at white space of other scripts. */
const splitWords = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== '');

/** Returns true if a text has as many words as a Polyseed, a number that no other kind of mnemonic has. */
export const hasPolyseedLength = (text: string): boolean => splitWords(text).length === COEFFICIENTS;

/**
 * Encodes a seed as 16 words. Source: tevador/polyseed polyseed.c `polyseed_encode`.
 * @example
 * const seed = randomPolyseed(systemRng, 1_700_000_000, POLYSEED_LANGUAGES[0]);
 * encodePolyseed(seed, POLYSEED_LANGUAGES[0]).split(' ').length; // => 16
 */
export function encodePolyseed(seed: Polyseed, language: PolyseedLanguage): string {
  const words = polyseedWords(language);
  return toCoefficients(seed)
    .map((index) => words[index] ?? '')
    .join(language.separator);
}

/**
 * Decodes 16 words. Four letters are enough in languages of the Latin alphabet; accents do not matter in French and
 * Spanish, nor does upper case. The language must be given for words that several languages have with different
 * indices; the characters that both Chinese lists contain have the same index in both, and are read as simplified
 * characters.
 * @param language language of words that are ambiguous without it; ignored for other words.
 * @throws PolyseedError Source: tevador/polyseed polyseed.c `polyseed_decode`, lang.c `polyseed_phrase_decode`.
 * @example
 * const seed = randomPolyseed(systemRng, 1_700_000_000, POLYSEED_LANGUAGES[0]);
 * decodePolyseed(encodePolyseed(seed, POLYSEED_LANGUAGES[0])).seed; // => seed
 */
export function decodePolyseed(text: string, language?: PolyseedLanguage): DecodedPolyseed {
  const words = splitWords(text);
  if (words.length !== COEFFICIENTS) throw new PolyseedError('length', 'expected 16 words');
  const readings = readingsOf(words);
  const [first] = readings;
  if (first === undefined) throw new PolyseedError('words', 'not all words are of one language');
  const named = readings.find((reading) => reading.language === language);
  if (named === undefined && readings.some(({ indices }) => !isSame(indices, first.indices)))
    throw new PolyseedError('ambiguous', 'the words are of several languages, and it must be named');
  const chosen = named ?? first;
  return { seed: fromCoefficients(chosen.indices), language: chosen.language };
}

/** A language that has all words of a text, and the indices of the words in the language. */
interface Reading {
  readonly language: PolyseedLanguage;
  readonly indices: readonly number[];
}

const readingsOf = (words: readonly string[]): Reading[] =>
  POLYSEED_LANGUAGES.flatMap((language) => {
    const indices: number[] = [];
    for (const word of words) {
      const index = indexOfPolyseedWord(word, language);
      if (index === undefined) return [];
      indices.push(index);
    }
    return [{ language, indices }];
  });

const isSame = (a: readonly number[], b: readonly number[]): boolean => a.every((index, i) => index === b[i]);

/**
 * Creates a random seed. Draws new seeds until no other language has all of the seed's words.
 * @param time time of creation [Unix s]. Source: polyseed.cpp `data::create` of the reference's main branch.
 * @example
 * randomPolyseed(systemRng, 1_700_000_000, POLYSEED_LANGUAGES[0]).birthday; // => 24
 */
export function randomPolyseed(rng: Rng, time: number, language: PolyseedLanguage): Polyseed {
  for (;;) {
    const secret = Uint8Array.from(rng(SECRET_BYTES));
    secret[SECRET_BYTES - 1] = (secret[SECRET_BYTES - 1] ?? 0) & LAST_MASK;
    const seed = { secret, birthday: birthdayOf(time), features: 0 };
    if (readingsOf(splitWords(encodePolyseed(seed, language))).length === 1) return seed;
  }
}
