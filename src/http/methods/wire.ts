import * as z from 'zod';
import { U64_MAX } from '../../util/amount.js';

/*
 * Schemas of results. Their input is the exact JSON of an answer, in which every integer is a bigint; their output has
 * the types of the client: bigint for amounts, number for heights, indices and times. The metadata of a leaf is its
 * JSON Schema. Results are not validated in production: the schemas serve types, discovery, documentation and tests.
 */

const U32_MAX = 0xffff_ffffn;
const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);

const unsigned = (maximum: bigint) =>
  z.bigint().refine((value) => value >= 0n && value <= maximum, 'out of range');

const matching = (pattern: RegExp, title: string) =>
  z.string().regex(pattern).meta({ title, type: 'string', pattern: pattern.source });

const AMOUNT = unsigned(U64_MAX).meta({
  title: 'amount in atomic units',
  type: 'integer',
  minimum: 0n,
  maximum: U64_MAX,
});
const U64 = unsigned(U64_MAX).meta({
  title: 'unsigned 64-bit integer',
  type: 'integer',
  minimum: 0n,
  maximum: U64_MAX,
});
const UINT = unsigned(SAFE_MAX)
  .transform(Number)
  .meta({ title: 'unsigned integer', type: 'integer', minimum: 0n, maximum: SAFE_MAX });
const U32 = unsigned(U32_MAX)
  .transform(Number)
  .meta({ title: 'unsigned 32-bit integer', type: 'integer', minimum: 0n, maximum: U32_MAX });
/** Range of error codes: the one of a signed 32-bit integer. */
const CODE_RANGE = { minimum: -0x8000_0000n, maximum: 0x7fff_ffffn };
const CODE = z
  .bigint()
  .refine((value) => value >= CODE_RANGE.minimum && value <= CODE_RANGE.maximum, 'out of range')
  .transform(Number)
  .meta({ title: 'error code', type: 'integer', ...CODE_RANGE });
const TEXT = z.string().meta({ title: 'string', type: 'string' });
const FLAG = z.boolean().meta({ title: 'boolean', type: 'boolean' });
const HEX = matching(/^(?:[0-9a-f]{2})*$/, 'hex string');
const HASH = matching(/^[0-9a-f]{64}$/, '64 hex digits');
const DIGITS = matching(/^(?:0|[1-9]\d{0,19})$/, 'amount in atomic units as decimal digits');
const SIGNATURE = matching(/^[0-9a-f]{128}$/, '128 hex digits');
const TIME = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'UTC time in ISO 8601');

/** Unsigned 64-bit amount in atomic units, as a bigint. */
export const amount = (description: string) => AMOUNT.describe(description);

/** Amount in atomic units as decimal digits, for documents that programs without 64-bit integers rewrite. */
export const digits = (description: string) => DIGITS.describe(description);

/** Unsigned 64-bit integer that may exceed the safe integers, as a bigint. */
export const u64 = (description: string) => U64.describe(description);

/** Unsigned safe integer: a height, count, time or id. */
export const uint = (description: string) => UINT.describe(description);

/** Unsigned 32-bit integer: the index of an account or address, or a small count. */
export const u32 = (description: string) => U32.describe(description);

/** Code of an error: a negative integer. */
export const code = (description: string) => CODE.describe(description);

export const text = (description: string) => TEXT.describe(description);
export const flag = (description: string) => FLAG.describe(description);

/** Bytes as lower-case hex digits; may be empty. */
export const hex = (description: string) => HEX.describe(description);

/** 32 bytes as lower-case hex digits. */
export const hash = (description: string) => HASH.describe(description);

/** 64 bytes as lower-case hex digits. */
export const signature = (description: string) => SIGNATURE.describe(description);

/** Time as `YYYY-MM-DDThh:mm:ss.sssZ`. */
export const time = (description: string) => TIME.describe(description);

/** Text that is one of several texts. */
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T, description: string) =>
  z.enum(values).describe(description);

/** List of items; the JSON of a method of the reference leaves an empty list out. */
export const list = <T extends z.ZodType>(item: T, description: string) =>
  z.array(item).default([]).describe(description);

/** Object in which unknown members are not allowed. */
export const object = <S extends z.ZodRawShape>(shape: S, description = '') => {
  const schema = z.strictObject(shape);
  return description === '' ? schema : schema.describe(description);
};

/** Object with any members. */
export const record = (description: string) =>
  z.record(z.string(), z.unknown()).meta({ title: 'object', type: 'object', description });

/** Result of a method that returns nothing. */
export const nothing = () => object({});
