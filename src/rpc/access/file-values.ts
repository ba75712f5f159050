import * as z from 'zod';
import { didYouMean } from '../../util/nearest-name.js';

/* Schemas of values in files that the operator writes. A mistake is named without its value, which may be a secret. */

const U64_MAX = (1n << 64n) - 1n;

/** Amount in atomic units, as text. */
export const atomicUnits = z
  .string('an amount in atomic units, as a string, is expected')
  .regex(/^\d{1,20}$/, 'an amount in atomic units is expected: digits alone')
  .refine((digits) => !/^\d+$/.test(digits) || BigInt(digits) <= U64_MAX, 'the amount exceeds 64 bits');

/** Whole number of a range, both ends inclusive. */
export const whole = ({ least = 1, most }: { readonly least?: number; readonly most: number }): z.ZodNumber =>
  z
    .number()
    .int('a whole number is expected')
    .min(least, `at least ${least} is expected`)
    .max(most, `at most ${most} is expected`);

/** Object without unknown members. The error of an unknown member suggests the known member with a similar name. */
export const strictObject = <S extends z.ZodRawShape>(shape: S) => {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const names = issue.keys.map((name) => `"${name}"${didYouMean(name, known)}`);
      return `Unrecognized key${names.length === 1 ? '' : 's'}: ${names.join(', ')}`;
    },
  });
};
