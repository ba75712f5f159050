import { readFileSync } from 'node:fs';

/** A language of mnemonics. */
export interface Language {
  /** As speakers write it; what keys files and the seed's clients name it. */
  readonly name: string;
  readonly englishName: string;
  /** Letters that tell its words apart. */
  readonly prefixLength: number;
  readonly file: string;
}

const language = (name: string, englishName: string, prefixLength: number, file: string): Language => ({
  name,
  englishName,
  prefixLength,
  file,
});

/** Those offered for new wallets, in the order of get_languages. Source: electrum-words.cpp `get_language_list`. */
export const LANGUAGES: readonly Language[] = [
  language('Deutsch', 'German', 4, 'german'),
  language('English', 'English', 3, 'english'),
  language('Español', 'Spanish', 4, 'spanish'),
  language('Français', 'French', 4, 'french'),
  language('Italiano', 'Italian', 4, 'italian'),
  language('Nederlands', 'Dutch', 4, 'dutch'),
  language('Português', 'Portuguese', 4, 'portuguese'),
  language('русский язык', 'Russian', 4, 'russian'),
  language('日本語', 'Japanese', 3, 'japanese'),
  language('简体中文 (中国)', 'Chinese (simplified)', 1, 'chinese-simplified'),
  language('Esperanto', 'Esperanto', 4, 'esperanto'),
  language('Lojban', 'Lojban', 4, 'lojban'),
];

/** Words of the first wallets: read, never written. */
export const OLD_ENGLISH = language('EnglishOld', 'English (old)', 4, 'english-old');

/** The order in which a seed is matched. Source: electrum-words.cpp `find_seed_language`. */
export const MATCH_ORDER: readonly Language[] = [
  ...['简体中文 (中国)', 'English', 'Nederlands', 'Français', 'Español', 'Deutsch', 'Italiano', 'Português', '日本語'],
  ...['русский язык', 'Esperanto', 'Lojban'],
]
  .flatMap((name) => LANGUAGES.filter((candidate) => candidate.name === name))
  .concat(OLD_ENGLISH);

/** By either of its names. */
export const findLanguage = (name: string): Language | undefined =>
  LANGUAGES.find((candidate) => candidate.name === name || candidate.englishName === name);

/** The words of a language, and where each stands, whole and by its telling letters. */
export interface WordList {
  readonly words: readonly string[];
  readonly byWord: ReadonlyMap<string, number>;
  readonly byPrefix: ReadonlyMap<string, number>;
}

/** Lower case, composed the same way whoever typed it. */
export const canonical = (word: string): string => word.normalize('NFKC').toLowerCase();

/** The telling letters of a word. */
export const prefixOf = (word: string, { prefixLength }: Language): string => [...word].slice(0, prefixLength).join('');

const loaded = new Map<string, WordList>();

/** Reads a word list once. */
export function wordList(of: Language): WordList {
  const known = loaded.get(of.file);
  if (known !== undefined) return known;
  const path = new URL(`../../../wordlists/${of.file}.txt`, import.meta.url);
  const words = readFileSync(path, 'utf8').split('\n').filter((word) => word !== '');
  const list = {
    words,
    byWord: new Map(words.map((word, i) => [canonical(word), i])),
    byPrefix: new Map(words.map((word, i) => [canonical(prefixOf(word, of)), i])),
  };
  loaded.set(of.file, list);
  return list;
}
