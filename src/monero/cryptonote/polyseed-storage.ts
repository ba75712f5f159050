import { equalBytes, utf8 } from '../../util/bytes.js';
import { decode, encode, type Codec } from '../../util/codec.js';
import {
  BIRTHDAYS,
  LAST_MASK,
  PolyseedError,
  SECRET_BYTES,
  type Polyseed,
  assertSupported,
  LAST_BITS,
} from './polyseed.js';

const HEADER = utf8('POLYSEED');
const AFTER_SECRET = 0xff;
/** Bits above the checksum in the last two bytes, which identify the format. */
const FOOTER = 0x7000;
const CHECKSUM_MASK = 0x7ff;
/** Number of values of the feature bits. */
const FEATURES = 32;

/** Length of a stored seed [bytes]. */
export const POLYSEED_BYTES = 32;

const malformed = (): PolyseedError =>
  new PolyseedError('format', 'the stored seed does not follow its format');

/**
 * Format of a seed in a keys file, 32 bytes: `"POLYSEED" || u16(features·1024 + birthday) || secret || 0xff ||
 * u16(0x7000 + checksum)`. The reader throws PolyseedError `format`, `checksum`, `features`. Source: tevador/polyseed
 * storage.c.
 */
const polyseedStorage: Codec<Polyseed> = {
  write(seed, w) {
    const u16 = (value: number): void => {
      w.byte(value & 0xff);
      w.byte(value >> 8);
    };
    w.bytes(HEADER);
    u16(seed.features * BIRTHDAYS + seed.birthday);
    w.bytes(seed.secret);
    w.byte(AFTER_SECRET);
    u16(FOOTER | (toCoefficients(seed)[0] ?? 0));
  },
  read(r) {
    const u16 = (): number => r.byte() + r.byte() * 256;
    if (!equalBytes(r.take(HEADER.length), HEADER)) throw malformed();
    const extra = u16();
    const secret = r.take(SECRET_BYTES);
    const features = Math.floor(extra / BIRTHDAYS);
    if (features >= FEATURES || ((secret[SECRET_BYTES - 1] ?? 0) & ~LAST_MASK) !== 0) throw malformed();
    if (r.byte() !== AFTER_SECRET) throw malformed();
    const footer = u16();
    if ((footer & ~CHECKSUM_MASK) !== FOOTER) throw malformed();
    const [, ...data] = toCoefficients({ secret, birthday: extra % BIRTHDAYS, features });
    return fromCoefficients([footer & CHECKSUM_MASK, ...data]);
  },
};

/**
 * Encodes a seed in the 32 bytes of {@link polyseedStorage}.
 * @example
 * storePolyseed({ secret: new Uint8Array(19), birthday: 24, features: 0 }).length; // => 32
 */
export const storePolyseed = (seed: Polyseed): Uint8Array => encode(polyseedStorage, seed);

/**
 * Decodes a seed of 32 bytes. @throws CodecError; PolyseedError `format`, `checksum`, `features`
 * @example
 * const seed = randomPolyseed(systemRng, 1_700_000_000, POLYSEED_LANGUAGES[0]);
 * loadPolyseed(storePolyseed(seed)); // => seed
 */
export const loadPolyseed = (stored: Uint8Array): Polyseed => decode(polyseedStorage, stored);

/** Number of coefficients, each of which is one word. */
export const COEFFICIENTS = 16;
/** Number of bits of the secret in a coefficient; one further bit belongs to features and birthday. */
const SHARE_BITS = 10;
const SHARE_MASK = (1 << SHARE_BITS) - 1;

/** Size of the field GF(2^11), whose polynomial is x^11 + x^2 + 1. */
const FIELD = 2048;
const REDUCTION = 0x805;

/** Multiplies an element of the field by 2. Source: gf.h `gf_elem_mul2`. */
const doubled = (x: number): number => (2 * x < FIELD ? 2 * x : (2 * x) ^ REDUCTION);

/** Evaluates a polynomial at 2. Source: gf.h `gf_poly_eval`. */
const valueOf = (coefficients: readonly number[]): number =>
  coefficients.reduceRight((value, coefficient) => doubled(value) ^ coefficient, 0);

/**
 * Returns the coefficients of a seed, 0 to 2047 each. The first coefficient is the checksum, with which the polynomial
 * is 0 at 2, so that any single wrong coefficient is detected. Source: gf.c `polyseed_data_to_poly`, gf.h
 * `gf_poly_encode`.
 */
export function toCoefficients({ secret, birthday, features }: Polyseed): number[] {
  let share = 0n;
  secret.forEach((byte, i) => {
    share = (share << BigInt(i === SECRET_BYTES - 1 ? LAST_BITS : 8)) | BigInt(byte);
  });
  let extra = features * BIRTHDAYS + birthday;
  const data: number[] = [];
  for (let i = 1; i < COEFFICIENTS; i++) {
    data.unshift(Number(share & BigInt(SHARE_MASK)) * 2 + (extra & 1));
    share >>= BigInt(SHARE_BITS);
    extra >>= 1;
  }
  return [valueOf([0, ...data]), ...data];
}

/**
 * Returns the seed of 16 coefficients. The number of the coin is XORed into the second coefficient; the number of
 * Monero is 0, so that seeds of other coins have a wrong checksum. @throws PolyseedError `checksum`, `features`.
 * Source: gf.c `polyseed_poly_to_data`.
 */
export function fromCoefficients(coefficients: readonly number[]): Polyseed {
  if (valueOf(coefficients) !== 0) throw new PolyseedError('checksum', 'wrong checksum');
  let share = 0n;
  let extra = 0;
  for (const coefficient of coefficients.slice(1)) {
    share = (share << BigInt(SHARE_BITS)) | BigInt(coefficient >> 1);
    extra = extra * 2 + (coefficient & 1);
  }
  const secret = new Uint8Array(SECRET_BYTES);
  secret[SECRET_BYTES - 1] = Number(share & BigInt(LAST_MASK));
  share >>= BigInt(LAST_BITS);
  for (let i = SECRET_BYTES - 2; i >= 0; i--) {
    secret[i] = Number(share & 0xffn);
    share >>= 8n;
  }
  const features = Math.floor(extra / BIRTHDAYS);
  assertSupported(features);
  return { secret, birthday: extra % BIRTHDAYS, features };
}
