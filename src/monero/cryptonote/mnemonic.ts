import { slowHashAsync } from '#slow-hash';
import { bytesToInt, reduce, scalarBytes } from '../crypto/scalar.js';
import type { SecretKey } from '../crypto/types.js';
import { utf8 } from '../../util/bytes.js';
import { CodecError, Reader, u32, Writer } from '../../util/codec.js';
import { canonical, MATCH_ORDER, OLD_ENGLISH, prefixOf, wordList, type Language } from './languages.js';

/** CRC-32 of IEEE 802.3, as in ZIP and PNG. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (-(crc & 1) & 0xedb88320);
  }
  return ~crc >>> 0;
}

const SEED_BYTES = 32;
/** Number of words that encode a seed of 32 bytes; three words encode four bytes. */
const SEED_WORDS = 24;

/** Returns the index of a word in the list of a language; undefined if the list lacks the word. */
type WordIndex = (word: string, language: Language) => number | undefined;

const indexOfWhole: WordIndex = (word, language) => wordList(language).byWord.get(canonical(word));

/** Returns the index of the list's word with the same prefix. */
const indexByPrefix: WordIndex = (word, language) =>
  wordList(language).byPrefix.get(prefixOf(canonical(word), language));

/**
 * Returns the word that is repeated as the checksum. Its position is the CRC-32 of all prefixes, spelled as in the word
 * list, modulo the number of words. Source: electrum-words.cpp `create_checksum_index`.
 */
function checksumWord(words: readonly string[], language: Language): string {
  const { words: spelled } = wordList(language);
  const letters = words.map((word) => prefixOf(spelled[indexByPrefix(word, language) ?? -1] ?? '', language));
  return words[crc32(utf8(letters.join(''))) % words.length] ?? '';
}

/**
 * Encodes a seed as 25 words, the last of which is a checksum.
 * @param seed 32 bytes, any value.
 * @throws RangeError for another length. Source: electrum-words.cpp `bytes_to_words`.
 * @example
 * encodeMnemonic(account.spendSecret, findLanguage('English')).split(' ').length; // => 25
 */
export function encodeMnemonic(seed: Uint8Array, language: Language): string {
  if (seed.length !== SEED_BYTES) throw new RangeError(`seed: expected 32 bytes, got ${seed.length}`);
  const { words } = wordList(language);
  const n = words.length;
  const chosen: string[] = [];
  for (const r = new Reader(seed); r.remaining > 0;) {
    const value = u32.read(r);
    const first = value % n;
    const second = (Math.floor(value / n) + first) % n;
    const third = (Math.floor(value / n / n) + second) % n;
    for (const index of [first, second, third]) chosen.push(words[index] ?? '');
  }
  return [...chosen, checksumWord(chosen, language)].join(' ');
}

/**
 * Seed and language of a decoded mnemonic.
 * @example
 * const { seed }: DecodedMnemonic = decodeMnemonic(words);
 * seed.length; // => 32
 */
export interface DecodedMnemonic {
  /** 32 bytes, any value; {@link spendSecretFromSeed} reduces them modulo ℓ. */
  readonly seed: Uint8Array;
  /** Language of the words; may be {@link OLD_ENGLISH}, which is never written. */
  readonly language: Language;
  /** True if the mnemonic has no checksum word, or is in old English. Reference: `was_deprecated`. */
  readonly deprecated: boolean;
}

/**
 * Decodes a mnemonic of 25 words, or of 24 whole words without a checksum. A language whose list contains all 25 words
 * as whole words is preferred to a language whose list contains only their prefixes: 1 of 6,700 French mnemonics
 * consists of prefixes of English words with a valid checksum in both languages, and the reference restores another
 * wallet from it. Of several such languages, the first language in {@link MATCH_ORDER} is taken.
 * @throws CodecError that quotes no word. Source: electrum-words.cpp `words_to_bytes`, `find_seed_language`.
 * @example
 * decodeMnemonic(words).language.name; // => 'English'
 */
export function decodeMnemonic(text: string): DecodedMnemonic {
  const words = text.split(/\s+/u).filter((word) => word !== '');
  const hasChecksum = words.length === SEED_WORDS + 1;
  if (!hasChecksum && words.length !== SEED_WORDS)
    throw new CodecError('mnemonic: expected 25 words, or 24 without a checksum; a Polyseed has 16');

  const language = hasChecksum
    ? (findWritten(words, indexOfWhole) ?? findWritten(words, indexByPrefix))
    : MATCH_ORDER.find((candidate) => hasAll(words, candidate, indexOfWhole));
  if (language === undefined)
    throw new CodecError(
      hasChecksum && MATCH_ORDER.some((candidate) => hasAll(words, candidate, indexByPrefix))
        ? 'mnemonic: wrong checksum word'
        : 'mnemonic: not all words are of one language',
    );
  const indexOf = hasChecksum ? indexByPrefix : indexOfWhole;
  const indices = words.slice(0, SEED_WORDS).map((word) => indexOf(word, language) ?? -1);
  const seed = toSeed(indices, wordList(language).words.length);
  return { seed, language, deprecated: !hasChecksum || language === OLD_ENGLISH };
}

/**
 * Returns true if a wallet that compares only prefixes, such as the reference, reads the mnemonic of a seed in the
 * language in which it is written. See {@link decodeMnemonic}.
 */
export const isReadByPrefixes = (seed: Uint8Array, language: Language): boolean =>
  findWritten(encodeMnemonic(seed, language).split(' '), indexByPrefix) === language;

/** Returns the first language in which all words have an index and the checksum word is valid. */
const findWritten = (words: readonly string[], indexOf: WordIndex): Language | undefined =>
  MATCH_ORDER.find((language) => hasAll(words, language, indexOf) && checksumFits(words, language));

const hasAll = (words: readonly string[], language: Language, indexOf: WordIndex): boolean =>
  words.every((word) => indexOf(word, language) !== undefined);

function checksumFits(words: readonly string[], language: Language): boolean {
  const expected = checksumWord(words.slice(0, SEED_WORDS), language);
  return prefixOf(canonical(expected), language) === prefixOf(canonical(words[SEED_WORDS] ?? ''), language);
}

function toSeed(indices: readonly number[], n: number): Uint8Array {
  const w = new Writer();
  for (let i = 0; i < indices.length; i += 3) {
    const [first = 0, second = 0, third = 0] = indices.slice(i, i + 3);
    const value = first + n * ((n - first + second) % n) + n * n * ((n - second + third) % n);
    // Three words have 1626³ values, slightly more than the 2³² values of four bytes.
    if (value >= 2 ** 32) throw new CodecError('mnemonic: three words exceed four bytes');
    u32.write(value, w);
  }
  return w.finish();
}

/**
 * Encrypts a spend secret key with a passphrase: `b + slowHash(passphrase)`. The mnemonic of the result is useless
 * without the passphrase.
 * @param key 32 bytes, any value. Source: cryptonote_format_utils.cpp `encrypt_key`.
 * @example
 * const encrypted = await addSeedOffset(account.spendSecret, 'passphrase');
 * equalBytes(encrypted, account.spendSecret); // => false
 */
export const addSeedOffset = async (key: Uint8Array, passphrase: string): Promise<SecretKey> =>
  scalarBytes(reduce(bytesToInt(key) + (await offsetOf(passphrase))));

/**
 * Decrypts the result of {@link addSeedOffset}. A wrong passphrase gives another valid key. Source:
 * cryptonote_format_utils.cpp `decrypt_key`.
 * @example
 * const encrypted = await addSeedOffset(account.spendSecret, 'passphrase');
 * equalBytes(await removeSeedOffset(encrypted, 'passphrase'), account.spendSecret); // => true
 */
export const removeSeedOffset = async (key: Uint8Array, passphrase: string): Promise<SecretKey> =>
  scalarBytes(reduce(bytesToInt(key) - (await offsetOf(passphrase))));

const offsetOf = async (passphrase: string): Promise<bigint> =>
  bytesToInt(await slowHashAsync(utf8(passphrase)));
