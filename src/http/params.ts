import * as z from 'zod';
import { U64_MAX, type Amount } from '../util/amount.js';
import { isObject } from '../util/json.js';
import { workSlices } from '../util/work-slices.js';
import { INVALID_PARAMS, RpcError } from './errors.js';

/*
 * Schemas of wire parameters over exact JSON: integers are bigint, or digit strings from clients that quote them. An
 * absent parameter takes its default, as in upstream's parser. Metadata of a leaf is its JSON Schema.
 */

const U32_MAX = 0xffff_ffffn;

const integer = (min: bigint, max: bigint) =>
  z
    .union(
      [
        z.bigint(),
        z
          .string()
          .regex(/^-?\d{1,20}$/)
          .transform((digits) => BigInt(digits)),
      ],
      'expected an integer',
    )
    .refine((value) => value >= min && value <= max, 'out of range');

const jsonInteger = (title: string, minimum: bigint, maximum: bigint) => ({
  title,
  type: 'integer',
  minimum,
  maximum,
});

/** Unsigned 64-bit, as a bigint. */
export const u64 = integer(0n, U64_MAX).meta(jsonInteger('unsigned 64-bit integer', 0n, U64_MAX));

/** Unsigned 64-bit, in atomic units. */
export const atomic = u64
  .transform((value) => value as Amount)
  .meta(jsonInteger('amount in atomic units', 0n, U64_MAX));

/** Unsigned 64-bit that must fit a safe integer: heights and counts. Larger ones become the largest safe one. */
export const height = u64
  .transform((value) => (value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value)))
  .meta(jsonInteger('height or count', 0n, U64_MAX));

/** Unsigned 32-bit. */
export const u32 = integer(0n, U32_MAX)
  .transform(Number)
  .meta(jsonInteger('unsigned 32-bit integer', 0n, U32_MAX));

/** Signed 8-bit. */
export const i8 = integer(-128n, 127n)
  .transform(Number)
  .meta(jsonInteger('signed 8-bit integer', -128n, 127n));

export const text = z.string().meta({ title: 'string', type: 'string' });
export const flag = z.boolean().meta({ title: 'boolean', type: 'boolean' });

/** Longest list that is validated without a pause [items]. */
const SHORT_LIST = 256;

/** An item of a list is invalid. */
class InvalidItem extends Error {
  readonly index: number;
  readonly issues: readonly z.core.$ZodIssue[];

  constructor(index: number, issues: readonly z.core.$ZodIssue[]) {
    super('an item is invalid');
    this.index = index;
    this.issues = issues;
  }
}

/**
 * Validates items up to the first invalid one: a list of invalid items costs no more than one. Pauses in a long list.
 */
const items = <T extends z.ZodType>(item: T) => {
  const readItem = (value: unknown, index: number): z.output<T> => {
    const { success, data, error } = item.safeParse(withoutEmpty(value));
    if (!success) throw new InvalidItem(index, error.issues);
    return data;
  };
  return (list: readonly unknown[], context: z.RefinementCtx): z.output<T>[] | Promise<z.output<T>[]> => {
    const refuse = (error: unknown): never => {
      if (!(error instanceof InvalidItem)) throw error;
      for (const { path, message } of error.issues)
        context.addIssue({ code: 'custom', message, path: [error.index, ...path] });
      return z.NEVER;
    };
    if (list.length > SHORT_LIST) return workSlices.map(list, readItem).catch(refuse);
    try {
      return list.map(readItem);
    } catch (error) {
      return refuse(error);
    }
  };
};

/**
 * A list whose items must be valid; a value that is no list counts as absent. Its metadata has the schema of its items,
 * for the documentation of the parameters.
 */
export const listOf = <T extends z.ZodType>(item: T) =>
  z
    .preprocess(
      (value) => (Array.isArray(value) ? value : undefined),
      z.array(z.unknown()).default([]).transform(items(item)),
    )
    .meta({ item });

/** Parameters of a method; unknown members are ignored. */
export const params = <S extends z.ZodRawShape>(shape: S) => z.object(shape);

/** Parameters of a method that has none. */
export const none = z.object({});

/**
 * Reads the member `params` of a request: an object, or the empty value of a client without parameters (absent, null,
 * `[]`, `""`).
 * @throws RpcError `INVALID_PARAMS` for anything else: with its parameters ignored, a call would run with defaults.
 */
export function readParamsObject(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === '' || isEmpty(value)) return {};
  if (isObject(value)) return value;
  throw invalidParams('params: expected an object');
}

/**
 * Validates parameters of a request; one that is null or an empty list counts as absent.
 * @throws RpcError `INVALID_PARAMS`, whose explanation names each invalid parameter and the JSON type that it must
 * have, never its value. Message: http_server_handlers_map2.h.
 */
export async function readParams<S extends z.ZodType>(schema: S, value: unknown): Promise<z.output<S>> {
  const parsed = await schema.safeParseAsync(withoutEmpty(readParamsObject(value)));
  if (parsed.success) return parsed.data;
  throw invalidParams(explanationOf(parsed.error.issues));
}

/** Error of a call with invalid parameters. @param explanation quotes no value. */
export const invalidParams = (explanation: string): RpcError =>
  new RpcError(INVALID_PARAMS, 'Invalid params', { explanation });

const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

/** Removes members without a value, also from objects within an object: upstream's parser stores none of them. */
const withoutEmpty = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([, member]) => !isEmpty(member))
          .map(([name, member]) => [name, withoutEmpty(member)]),
      )
    : value;

/** Names of JSON types, with their articles. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
};

const explanationOf = (issues: readonly z.core.$ZodIssue[]): string =>
  issues
    .map((issue) => {
      const reason =
        issue.code === 'invalid_type'
          ? `expected ${JSON_TYPES[issue.expected] ?? 'another JSON type'}`
          : issue.message;
      return issue.path.length === 0 ? reason : `${issue.path.map(String).join('.')}: ${reason}`;
    })
    .join('; ');
