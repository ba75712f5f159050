import { wordLists } from './word-lists.js';

/**
 * A language of mnemonics, with the name of its word list.
 * @example
 * const language: Language = LANGUAGES[1];
 * language.englishName; // => 'English'
 */
export interface Language {
  /** Name of the language in the language itself, as stored in a keys file. */
  readonly name: string;
  readonly englishName: string;
  /** Number of leading letters by which a word is identified. */
  readonly prefixLength: number;
  /** Name of the file with the word list, without folder and extension. */
  readonly file: string;
}

const language = (name: string, englishName: string, prefixLength: number, file: string): Language => ({
  name,
  englishName,
  prefixLength,
  file,
});

const GERMAN = language('Deutsch', 'German', 4, 'german');
const ENGLISH = language('English', 'English', 3, 'english');
const SPANISH = language('Español', 'Spanish', 4, 'spanish');
const FRENCH = language('Français', 'French', 4, 'french');
const ITALIAN = language('Italiano', 'Italian', 4, 'italian');
const DUTCH = language('Nederlands', 'Dutch', 4, 'dutch');
const PORTUGUESE = language('Português', 'Portuguese', 4, 'portuguese');
const RUSSIAN = language('русский язык', 'Russian', 4, 'russian');
const JAPANESE = language('日本語', 'Japanese', 3, 'japanese');
const CHINESE = language('简体中文 (中国)', 'Chinese (simplified)', 1, 'chinese-simplified');
const ESPERANTO = language('Esperanto', 'Esperanto', 4, 'esperanto');
const LOJBAN = language('Lojban', 'Lojban', 4, 'lojban');

/**
 * Language with the word list of the first wallets. Its mnemonics are read and never written. Some of its words have
 * the same first four letters.
 */
export const OLD_ENGLISH = language('EnglishOld', 'English (old)', 4, 'english-old');

/**
 * Languages for new wallets, in the order of the reference's list. Source: electrum-words.cpp `get_language_list`.
 * @example
 * LANGUAGES.length; // => 12
 */
export const LANGUAGES: readonly Language[] = [
  ...[GERMAN, ENGLISH, SPANISH, FRENCH, ITALIAN, DUTCH, PORTUGUESE],
  ...[RUSSIAN, JAPANESE, CHINESE, ESPERANTO, LOJBAN],
];

/**
 * Languages in the order in which they are tried for a mnemonic; some words belong to several languages. Source:
 * `find_seed_language`.
 */
export const MATCH_ORDER: readonly Language[] = [
  ...[CHINESE, ENGLISH, DUTCH, FRENCH, SPANISH, GERMAN, ITALIAN, PORTUGUESE],
  ...[JAPANESE, RUSSIAN, ESPERANTO, LOJBAN, OLD_ENGLISH],
];

/**
 * Finds one of {@link LANGUAGES} by its exact name in that language or in English. Source: `is_valid_language`.
 * @example
 * findLanguage('German').name; // => 'Deutsch'
 */
export const findLanguage = (name: string): Language | undefined =>
  LANGUAGES.find((candidate) => candidate.name === name || candidate.englishName === name);

/** Words of a language, and the index of each word by the whole word and by its prefix. */
export interface WordList {
  readonly words: readonly string[];
  readonly byWord: ReadonlyMap<string, number>;
  readonly byPrefix: ReadonlyMap<string, number>;
}

/** Returns the canonical spelling of a word: composed letters (NFC), lower case. The word lists are composed, too. */
export const canonical = (word: string): string => word.normalize('NFC').toLowerCase();

/** Returns the prefix by which a word is identified. Source: language_base.h `utf8prefix`. */
export const prefixOf = (word: string, { prefixLength }: Language): string =>
  [...word].slice(0, prefixLength).join('');

const loaded = new Map<Language, WordList>();

/**
 * Returns the word list of a language, which is read at the first call. If two words have the same prefix, the prefix
 * stands for the later word. Source: language_base.h `populate_maps`.
 */
export function wordList(of: Language): WordList {
  const known = loaded.get(of);
  if (known !== undefined) return known;
  const words = (wordLists[of.file]?.() ?? '').trimEnd().split('\n');
  const list = {
    words,
    byWord: new Map(words.map((word, i) => [canonical(word), i])),
    byPrefix: new Map(words.map((word, i) => [canonical(prefixOf(word, of)), i])),
  };
  loaded.set(of, list);
  return list;
}
