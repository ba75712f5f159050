import { readFileSync } from 'node:fs';
import { PACKAGE_ROOT } from '../../util/own-package.js';

/** A language of mnemonics. */
export interface Language {
  /** Native name, as stored in a keys file. */
  readonly name: string;
  readonly englishName: string;
  /** Number of leading letters that identify a word. */
  readonly prefixLength: number;
  /** File name of its word list, without folder and extension. */
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

/** Word list of the first wallets: read, never written. Some words share their first four letters. */
export const OLD_ENGLISH = language('EnglishOld', 'English (old)', 4, 'english-old');

/** Languages for new wallets, in wire order. Source: electrum-words.cpp `get_language_list`. */
export const LANGUAGES: readonly Language[] = [
  ...[GERMAN, ENGLISH, SPANISH, FRENCH, ITALIAN, DUTCH, PORTUGUESE],
  ...[RUSSIAN, JAPANESE, CHINESE, ESPERANTO, LOJBAN],
];

/** Order in which languages are tried for a mnemonic: some words exist in several. Source: `find_seed_language`. */
export const MATCH_ORDER: readonly Language[] = [
  ...[CHINESE, ENGLISH, DUTCH, FRENCH, SPANISH, GERMAN, ITALIAN, PORTUGUESE],
  ...[JAPANESE, RUSSIAN, ESPERANTO, LOJBAN, OLD_ENGLISH],
];

/** Finds one of {@link LANGUAGES} by its exact native or English name. Source: `is_valid_language`. */
export const findLanguage = (name: string): Language | undefined =>
  LANGUAGES.find((candidate) => candidate.name === name || candidate.englishName === name);

/** Words of a language, with their indices by whole word and by prefix. */
export interface WordList {
  readonly words: readonly string[];
  readonly byWord: ReadonlyMap<string, number>;
  readonly byPrefix: ReadonlyMap<string, number>;
}

/** Canonical spelling of a word: composed letters (NFC), lower case. The word lists are composed. */
export const canonical = (word: string): string => word.normalize('NFC').toLowerCase();

/** Prefix that identifies a word. Source: language_base.h `utf8prefix`. */
export const prefixOf = (word: string, { prefixLength }: Language): string =>
  [...word].slice(0, prefixLength).join('');

const loaded = new Map<Language, WordList>();

/**
 * Reads a word list once and caches it. A prefix shared by two words belongs to the later one.
 * Source: language_base.h `populate_maps`.
 */
export function wordList(of: Language): WordList {
  const known = loaded.get(of);
  if (known !== undefined) return known;
  const path = new URL(`wordlists/${of.file}.txt`, PACKAGE_ROOT);
  const words = readFileSync(path, 'utf8').trimEnd().split('\n');
  const list = {
    words,
    byWord: new Map(words.map((word, i) => [canonical(word), i])),
    byPrefix: new Map(words.map((word, i) => [canonical(prefixOf(word, of)), i])),
  };
  loaded.set(of, list);
  return list;
}
