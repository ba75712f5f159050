import { equalBytes, utf8 } from '../../util/bytes.js';
import { decode, encode, type Codec } from '../../util/codec.js';
import { BIRTHDAYS, LAST_MASK, PolyseedError, SECRET_BYTES, type Polyseed } from './polyseed.js';
import { fromCoefficients, toCoefficients } from './polyseed-polynomial.js';

const HEADER = utf8('POLYSEED');
const AFTER_SECRET = 0xff;
/** Bits above the checksum in the last two bytes, which tell the format. */
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
