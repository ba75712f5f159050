import {
  assertSupported,
  BIRTHDAYS,
  LAST_BITS,
  LAST_MASK,
  PolyseedError,
  SECRET_BYTES,
  type Polyseed,
} from './polyseed.js';

/** Number of coefficients, each of which is one word. */
export const COEFFICIENTS = 16;
/** Number of bits of the secret in a coefficient; one further bit is of features and birthday. */
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
 * Returns the coefficients of a seed, 0 to 2047 each. The first one is the checksum, with which the polynomial is 0 at 2, so
 * that any single wrong coefficient is detected. Source: gf.c `polyseed_data_to_poly`, gf.h `gf_poly_encode`.
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
 * Returns the seed of 16 coefficients. The number of the coin is XORed into the second one; that of Monero is 0, so that seeds
 * of other coins have a wrong checksum. @throws PolyseedError `checksum`, `features`. Source: gf.c `polyseed_poly_to_data`.
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
