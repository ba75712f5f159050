import { pbkdf2Sha256 } from '#platform/crypto.js';
import { concatBytes, utf8 } from '../../util/bytes.js';
import { CodecError } from '../../util/codec.js';

/**
 * A Polyseed: 150 secret bits, the month of its creation and five feature bits. Source: tevador/polyseed README.md.
 * @example
 * const seed: Polyseed = { secret: new Uint8Array(19), birthday: 24, features: 0 };
 * polyseedKey(seed).length; // => 32
 */
export interface Polyseed {
  /** 19 bytes; the two highest bits of the last byte are 0. */
  readonly secret: Uint8Array;
  /** Number of whole months between {@link EPOCH} and the creation, 0 to 1023. */
  readonly birthday: number;
  /** Feature bits, 0 to 31; only the bit 16, for an encrypted seed, is in use. */
  readonly features: number;
}

/**
 * Kind of an error of {@link PolyseedError}. `length`: there are not 16 words. `words`: no language has the word, or
 * the words are of several languages. `ambiguous`: several languages have all words, with other meanings. `checksum`: a
 * word is wrong, or the seed is of another coin. `features`: the seed needs a later version. `format`: 32 bytes do not
 * follow the format.
 * @example
 * const kind: PolyseedErrorKind = 'length';
 * new PolyseedError(kind, 'too few words').message; // => 'polyseed: too few words'
 */
export type PolyseedErrorKind = 'length' | 'words' | 'ambiguous' | 'checksum' | 'features' | 'format';

/**
 * Error of a Polyseed that cannot be read. No message quotes a word.
 * @example
 * try {
 *   decodePolyseed('one word');
 * } catch (error) {
 *   error instanceof PolyseedError; // => true
 *   error.kind; // => 'length'
 * }
 */
export class PolyseedError extends CodecError {
  readonly kind: PolyseedErrorKind;

  constructor(kind: PolyseedErrorKind, message: string) {
    super(`polyseed: ${message}`);
    this.kind = kind;
  }
}

/** Number of bytes of the secret; the last byte contributes {@link LAST_BITS} bits. */
export const SECRET_BYTES = 19;
/** Number of bits of the last byte of the secret. */
export const LAST_BITS = 6;
/** Bits of the last byte of the secret that are in use. */
export const LAST_MASK = (1 << LAST_BITS) - 1;

/** Number of values of the birthday. */
export const BIRTHDAYS = 1024;
/** Feature bit of a secret that is encrypted with a passphrase. */
const ENCRYPTED = 16;

/** Time at which the first month begins [Unix s]: 2021-11-01 12:00 UTC. Source: birthday.h `EPOCH`. */
const EPOCH = 1_635_768_000;
/** Length of a month, a twelfth of a Gregorian year [s]. Source: birthday.h `TIME_STEP`. */
const MONTH_SECONDS = 2_629_746;

/** Number of iterations of PBKDF2. Source: polyseed.c `KDF_NUM_ITERATIONS`. */
const ITERATIONS = 10_000;
/** Number of bytes to which the secret is padded with zeros before a key is derived. */
const PADDED_BYTES = 32;

/** Throws unless all feature bits in use are known. @throws PolyseedError `features` */
export function assertSupported(features: number): void {
  if ((features & ~ENCRYPTED) !== 0) throw new PolyseedError('features', 'unsupported features');
}

/**
 * Returns true if the secret is encrypted with a passphrase.
 * @example
 * isEncrypted(randomPolyseed(systemRng, 1_700_000_000, POLYSEED_LANGUAGES[0])); // => false
 */
export const isEncrypted = ({ features }: Polyseed): boolean => (features & ENCRYPTED) !== 0;

/**
 * Returns the birthday of a seed that is created at a given time: 0 before the first month; after February 2107 the
 * numbers begin again. @param time Unix time [s]. Source: birthday.h `birthday_encode`.
 * @example
 * birthdayOf(1_700_000_000); // => 24
 */
export const birthdayOf = (time: number): number =>
  time < EPOCH ? 0 : Math.floor((time - EPOCH) / MONTH_SECONDS) % BIRTHDAYS;

/**
 * Returns the time at which the month of the birthday begins [Unix s]. Source: birthday.h `birthday_decode`.
 * @example
 * new Set([birthdayTime({ birthday: 0 })]).has(1_635_768_000); // => true
 */
export const birthdayTime = ({ birthday }: Pick<Polyseed, 'birthday'>): number =>
  EPOCH + birthday * MONTH_SECONDS;

const u32le = (value: number): Uint8Array =>
  Uint8Array.of(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);

const stretched = (secret: Uint8Array, salt: Uint8Array): Uint8Array =>
  pbkdf2Sha256(secret, salt, ITERATIONS);

/**
 * Derives the key of a seed for Monero: PBKDF2-HMAC-SHA256 of the padded secret. The salt contains the number of the coin
 * (Monero: 0), the birthday and the features. The spend key is this key modulo ℓ. Takes some milliseconds.
 * @returns 32 bytes, any value. @throws RangeError for an encrypted seed. Source: polyseed.c `polyseed_keygen`.
 * @example
 * const seed = randomPolyseed(systemRng, 1_700_000_000, POLYSEED_LANGUAGES[0]);
 * accountKeysOf(spendSecretFromSeed(polyseedKey(seed))).spendSecret.length; // => 32
 */
export function polyseedKey(seed: Polyseed): Uint8Array {
  if (isEncrypted(seed)) throw new RangeError('polyseed: an encrypted seed has no key');
  const padded = new Uint8Array(PADDED_BYTES);
  padded.set(seed.secret);
  const salt = concatBytes(
    utf8('POLYSEED key'),
    Uint8Array.of(0, 0xff, 0xff, 0xff),
    u32le(0),
    u32le(seed.birthday),
    u32le(seed.features),
    u32le(0),
  );
  try {
    return stretched(padded, salt);
  } finally {
    padded.fill(0);
  }
}

/** Returns the seed with its secret XORed with a mask of the passphrase, and with its state of encryption inverted. */
function masked({ secret, birthday, features }: Polyseed, passphrase: string): Polyseed {
  const salt = concatBytes(utf8('POLYSEED mask'), Uint8Array.of(0, 0xff, 0xff));
  const text = utf8(passphrase.normalize('NFKD'));
  const mask = stretched(text, salt);
  text.fill(0);
  const other = secret.map((byte, i) => byte ^ (mask[i] ?? 0));
  other[SECRET_BYTES - 1] = (other[SECRET_BYTES - 1] ?? 0) & LAST_MASK;
  mask.fill(0);
  return { secret: other, birthday, features: features ^ ENCRYPTED };
}

/**
 * Encrypts the secret of a seed with a passphrase, whose Unicode form has no effect (NFKD). The words of the result are
 * of no use without the passphrase. @throws RangeError if the seed is encrypted. Source: polyseed.c `polyseed_crypt`.
 * @example
 * const seed = randomPolyseed(systemRng, 1_700_000_000, POLYSEED_LANGUAGES[0]);
 * isEncrypted(encryptPolyseed(seed, 'passphrase')); // => true
 */
export function encryptPolyseed(seed: Polyseed, passphrase: string): Polyseed {
  if (isEncrypted(seed)) throw new RangeError('polyseed: the seed is encrypted');
  return masked(seed, passphrase);
}

/**
 * Decrypts the result of {@link encryptPolyseed}. A wrong passphrase gives another valid seed.
 * @throws RangeError if the seed is not encrypted.
 * @example
 * const seed = randomPolyseed(systemRng, 1_700_000_000, POLYSEED_LANGUAGES[0]);
 * decryptPolyseed(encryptPolyseed(seed, 'p'), 'p'); // => seed
 */
export function decryptPolyseed(seed: Polyseed, passphrase: string): Polyseed {
  if (!isEncrypted(seed)) throw new RangeError('polyseed: the seed is not encrypted');
  return masked(seed, passphrase);
}
