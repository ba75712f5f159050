import { wordLists } from './word-lists.js';

/**
 * A language of Polyseed mnemonics, with the name of its word list.
 * @example
 * const language: PolyseedLanguage = POLYSEED_LANGUAGES[1];
 * language.englishName; // => 'Japanese'
 */
export interface PolyseedLanguage {
  /** Name of the language in the language itself, as stored in a keys file. */
  readonly name: string;
  readonly englishName: string;
  /** Text between two words. */
  readonly separator: string;
  /** True if the first four letters of a word, or more of its letters, identify the word. */
  readonly hasPrefixes: boolean;
  /** True if accents do not matter when a word is read. */
  readonly ignoresAccents: boolean;
  /** Name of the file with the word list, without extension. */
  readonly file: string;
}

/** Number of leading letters that identify a word of a language with prefixes. */
const PREFIX_LENGTH = 4;

const language = (
  name: string,
  englishName: string,
  file: string,
  {
    separator = ' ',
    hasPrefixes = false,
    ignoresAccents = false,
  }: Partial<Pick<PolyseedLanguage, 'separator' | 'hasPrefixes' | 'ignoresAccents'>> = {},
): PolyseedLanguage => ({
  name,
  englishName,
  separator,
  hasPrefixes,
  ignoresAccents,
  file: `polyseed/${file}`,
});

const PREFIXES = { hasPrefixes: true };
const ACCENTS = { hasPrefixes: true, ignoresAccents: true };

/**
 * Languages of Polyseed, in the order of its library. Source: tevador/polyseed lang.c `languages`, lang_*.c.
 * @example
 * POLYSEED_LANGUAGES[0].name; // => 'English'
 */
export const POLYSEED_LANGUAGES: readonly PolyseedLanguage[] = [
  language('English', 'English', 'english', PREFIXES),
  language('日本語', 'Japanese', 'japanese', { separator: '\u3000' }),
  language('한국어', 'Korean', 'korean'),
  language('español', 'Spanish', 'spanish', ACCENTS),
  language('français', 'French', 'french', ACCENTS),
  language('italiano', 'Italian', 'italian', PREFIXES),
  language('čeština', 'Czech', 'czech', PREFIXES),
  language('português', 'Portuguese', 'portuguese', PREFIXES),
  language('中文(简体)', 'Chinese (Simplified)', 'chinese-simplified'),
  language('中文(繁體)', 'Chinese (Traditional)', 'chinese-traditional'),
];

/**
 * Finds one of {@link POLYSEED_LANGUAGES} by its exact name in that language or in English. Source: electrum-words.cpp
 * `is_valid_language` of the reference's main branch.
 * @example
 * findPolyseedLanguage('Spanish').name; // => 'español'
 */
export const findPolyseedLanguage = (name: string): PolyseedLanguage | undefined =>
  POLYSEED_LANGUAGES.find((candidate) => candidate.name === name || candidate.englishName === name);

/** Words of a language, and the index of each word by every spelling in which the word may be written. */
interface PolyseedWords {
  readonly words: readonly string[];
  readonly bySpelling: ReadonlyMap<string, number>;
}

const loaded = new Map<PolyseedLanguage, PolyseedWords>();

/**
 * Returns the spelling by which words are compared: decomposed (NFKD), lower case, without accents in languages that
 * ignore accents.
 */
const spellingOf = (word: string, { ignoresAccents }: PolyseedLanguage): string => {
  const decomposed = word.normalize('NFKD').toLowerCase();
  // oxlint-disable-next-line no-control-regex -- the range of ASCII
  return ignoresAccents ? decomposed.replaceAll(/[^\0-\x7f]/g, '') : decomposed;
};

/** Returns the words of a language, which are read at the first call. */
function wordsOf(of: PolyseedLanguage): PolyseedWords {
  const known = loaded.get(of);
  if (known !== undefined) return known;
  const words = (wordLists[of.file]?.() ?? '').trimEnd().split('\n');
  const bySpelling = new Map<string, number>();
  words.forEach((word, index) => {
    const spelling = spellingOf(word, of);
    const shortest = of.hasPrefixes ? Math.min(PREFIX_LENGTH, spelling.length) : spelling.length;
    for (let length = shortest; length <= spelling.length; length++)
      bySpelling.set(spelling.slice(0, length), index);
  });
  const list = { words, bySpelling };
  loaded.set(of, list);
  return list;
}

/** Returns the words of a language in the order of their indices. */
export const polyseedWords = (of: PolyseedLanguage): readonly string[] => wordsOf(of).words;

/**
 * Returns the index of a word in the list of a language; undefined if the list lacks the word. Unlike the library,
 * accepts upper case, and four letters of which the last letter has an accent. Source: tevador/polyseed lang.c
 * `polyseed_lang_find_word`.
 */
export const indexOfPolyseedWord = (word: string, language: PolyseedLanguage): number | undefined =>
  wordsOf(language).bySpelling.get(spellingOf(word, language));
