import { crc32 } from 'node:zlib';
import { reduce, bytesToInt, scalarBytes } from '../crypto/scalar.js';
import { slowHashAsync } from '../crypto/slow-hash-async.js';
import type { SecretKey } from '../crypto/types.js';
import { utf8 } from '../util/bytes.js';
import { CodecError, encode, Reader, u32, Writer } from '../util/codec.js';
import { canonical, MATCH_ORDER, OLD_ENGLISH, prefixOf, wordList, type Language, type WordList } from './languages.js';

const SEED_BYTES = 32;
const SEED_WORDS = 24;

/** Which word is repeated as the checksum: CRC-32 of the telling letters, modulo the number of words. */
function checksumIndex(words: readonly string[], language: Language): number {
  const list = wordList(language);
  const letters = words.map((word) => {
    const index = list.byPrefix.get(canonical(prefixOf(word, language)));
    return index === undefined ? '' : prefixOf(list.words[index] ?? '', language);
  });
  return crc32(utf8(letters.join(''))) % words.length;
}

/** 25 words for 32 bytes. Source: electrum-words.cpp `bytes_to_words`. */
export function encodeMnemonic(seed: Uint8Array, language: Language): string {
  if (seed.length !== SEED_BYTES) throw new RangeError('a seed has 32 bytes');
  const { words } = wordList(language);
  const n = words.length;
  const r = new Reader(seed);
  const chosen: string[] = [];
  while (r.remaining > 0) {
    const value = u32.read(r);
    const first = value % n;
    const second = (Math.floor(value / n) + first) % n;
    const third = (Math.floor(value / n / n) + second) % n;
    for (const index of [first, second, third]) chosen.push(words[index] ?? '');
  }
  return [...chosen, chosen[checksumIndex(chosen, language)]].join(' ');
}

export interface DecodedMnemonic {
  readonly seed: SecretKey;
  readonly language: Language;
  /** Without checksum word, or of the first word list: its owner should write the new words down. */
  readonly deprecated: boolean;
}

/**
 * Reads 25 words, or 24 of the old style, of any language.
 * @throws CodecError without quoting a word. Source: electrum-words.cpp `words_to_bytes`, `find_seed_language`.
 */
export function decodeMnemonic(text: string): DecodedMnemonic {
  const words = text.split(/\s+/u).filter((word) => word !== '');
  const hasChecksum = words.length === SEED_WORDS + 1;
  if (!hasChecksum && words.length !== SEED_WORDS) throw new CodecError('mnemonic: expected 25 words');
  let checksumFailed = false;
  for (const language of MATCH_ORDER) {
    const indices = match(words, language, hasChecksum);
    if (indices === undefined) continue;
    if (hasChecksum && !checksumFits(words, language)) {
      checksumFailed = true;
      continue;
    }
    const seed = toSeed(indices.slice(0, SEED_WORDS), wordList(language).words.length);
    return { seed, language, deprecated: !hasChecksum || language === OLD_ENGLISH };
  }
  throw new CodecError(checksumFailed ? 'mnemonic: invalid checksum' : 'mnemonic: words of no known language');
}

function match(words: readonly string[], language: Language, byPrefix: boolean): number[] | undefined {
  const list: WordList = wordList(language);
  const indices: number[] = [];
  for (const word of words) {
    const index = byPrefix
      ? list.byPrefix.get(canonical(prefixOf(word, language)))
      : list.byWord.get(canonical(word));
    if (index === undefined) return undefined;
    indices.push(index);
  }
  return indices;
}

function checksumFits(words: readonly string[], language: Language): boolean {
  const data = words.slice(0, -1);
  const expected = data[checksumIndex(data, language)] ?? '';
  return canonical(prefixOf(expected, language)) === canonical(prefixOf(words.at(-1) ?? '', language));
}

function toSeed(indices: readonly number[], n: number): SecretKey {
  const w = new Writer();
  for (let i = 0; i < indices.length; i += 3) {
    const [first = 0, second = 0, third = 0] = indices.slice(i, i + 3);
    const value = first + n * ((n - first + second) % n) + n * n * ((n - second + third) % n);
    if (value >= 2 ** 32 || value % n !== first) throw new CodecError('mnemonic: words that encode no seed');
    w.bytes(encode(u32, value));
  }
  return w.finish() as SecretKey;
}

/**
 * Adds (or takes away) a passphrase to a spend key, so that the words alone are worth nothing.
 * Source: cryptonote_format_utils.cpp `encrypt_key`, `decrypt_key`.
 */
export const addSeedOffset = (key: SecretKey, passphrase: string): Promise<SecretKey> => offset(key, passphrase, 1n);
export const removeSeedOffset = (key: SecretKey, passphrase: string): Promise<SecretKey> => offset(key, passphrase, -1n);

async function offset(key: SecretKey, passphrase: string, sign: 1n | -1n): Promise<SecretKey> {
  const hash = await slowHashAsync(utf8(passphrase));
  return scalarBytes(reduce(bytesToInt(key) + sign * bytesToInt(hash)));
}
