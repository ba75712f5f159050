import * as z from 'zod';
import { U64_MAX, type Amount } from '../../util/amount.js';
import { readInstant } from '../../util/clock.js';
import { isObject } from '../../util/json.js';
import { didYouMean } from '../../util/nearest-name.js';
import { workSlices } from '../../util/event-loop.js';
import { INVALID_PARAMS, RpcError } from '../calls/errors.js';
import {
  isEmpty,
  misspeltMembers,
  misspeltObjects,
  noLists,
  othersParam,
  unknownMembers,
  type OtherParams,
} from './unknown-params.js';

/*
 * Schemas of parameters over exact JSON: an integer is a bigint, or a string of digits from clients that quote
 * integers. An absent parameter takes its default, as in the parser of the reference. The metadata of a leaf is its
 * JSON Schema.
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

/** Unsigned 64-bit integer, read as a bigint. */
export const u64 = integer(0n, U64_MAX).meta(jsonInteger('unsigned 64-bit integer', 0n, U64_MAX));

/** Unsigned 64-bit amount in atomic units. */
export const atomic = u64
  .transform((value) => value as Amount)
  .meta(jsonInteger('amount in atomic units', 0n, U64_MAX));

/** Unsigned 64-bit height or count, read as a safe integer; a larger value becomes the largest safe integer. */
export const height = u64
  .transform((value) => (value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value)))
  .meta(jsonInteger('height or count', 0n, U64_MAX));

/** Unsigned 32-bit integer. */
export const u32 = integer(0n, U32_MAX)
  .transform(Number)
  .meta(jsonInteger('unsigned 32-bit integer', 0n, U32_MAX));

/** Signed 8-bit integer. */
export const i8 = integer(-128n, 127n)
  .transform(Number)
  .meta(jsonInteger('signed 8-bit integer', -128n, 127n));

/**
 * Object with any members, which is not changed: its members without a value, and its empty lists, do not count as
 * absent.
 */
export const wholeObject = z
  // The schema is not a `z.record`, whose parser leaves out a member called __proto__.
  .custom<Readonly<Record<string, unknown>>>(isObject, 'expected a JSON object')
  .meta({ title: 'JSON object', type: 'object' });

/** Time, read as Unix time [s]: an integer, or a text as {@link readInstant} reads it. */
export const instant = z
  .union([z.bigint(), z.string()], 'expected a time')
  .transform((given, context) => {
    const seconds = readInstant(given);
    if (seconds !== undefined) return seconds;
    context.addIssue({
      code: 'custom',
      message:
        'expected Unix seconds, a date such as 2026-01-31, or a time with its offset such as 2026-01-31T12:00:00Z',
    });
    return z.NEVER;
  })
  .meta({
    title: 'Unix seconds or ISO 8601',
    oneOf: [{ type: 'integer' }, { type: 'string' }],
  });

/** Text that is used only during the call; {@link keptText} is for a text that is kept after the call. */
export const text = z.string().meta({ title: 'string', type: 'string' });

/** Matches one half of a surrogate pair, which UTF-8 cannot encode. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Text that is stored or otherwise kept after the call. Half a surrogate pair is refused: UTF-8, and thus the store,
 * replaces each half by the same character, which alters the text and makes different texts equal.
 * @param maxBytes greatest length in UTF-8. @param minBytes smallest length.
 */
export const keptText = (maxBytes: number, minBytes = 0) => {
  const size = minBytes === 0 ? `at most ${maxBytes}` : `${minBytes} to ${maxBytes}`;
  return z
    .string()
    .refine((value) => {
      const bytes = Buffer.byteLength(value);
      return bytes >= minBytes && bytes <= maxBytes;
    }, `expected ${size} bytes`)
    .refine((value) => !LONE_SURROGATE.test(value), 'expected a text without half a surrogate pair')
    .meta({ title: `string of ${size} bytes`, type: 'string', maxLength: BigInt(maxBytes) });
};

export const flag = z.boolean().meta({ title: 'boolean', type: 'boolean' });

/** Largest number of items of a list that is validated without a pause. */
const SHORT_LIST = 256;

/** Rules of a list of objects. */
interface ListRules {
  /** Name of the list; absent: items with an unknown member in place of a missing member are accepted. */
  readonly refusesMisspeltIn?: string;
}

/** Error of an invalid item in a list. */
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
 * Validates the items of a list up to the first invalid item, so that many invalid items take no more time than one.
 * Pauses in a long list.
 */
const items = <T extends z.ZodType>(item: T, { refusesMisspeltIn: name }: ListRules) => {
  const readItem = (value: unknown, index: number): z.output<T> => {
    const misspelt = name === undefined ? undefined : misspeltMembers(item, value);
    if (misspelt !== undefined) throw unknownParams(`${name}.${index}: ${misspelt}`);
    const { success, data, error } = item.safeParse(isObject(value) ? givenValues(item, value) : value);
    if (!success) throw new InvalidItem(index, error.issues);
    return data;
  };
  return (list: readonly unknown[], context: z.RefinementCtx): z.output<T>[] | Promise<z.output<T>[]> => {
    const refuse = (error: unknown): never => {
      if (!(error instanceof InvalidItem)) throw error;
      for (const issue of error.issues)
        context.addIssue({
          code: 'custom',
          message: messageOf(issue, list[error.index]),
          path: [error.index, ...issue.path],
        });
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
 * List of valid items. A value that is not a list counts as absent, as in the reference; our own methods refuse it
 * ({@link ParamRules}). The metadata has the schema of the items, for the documentation of the parameters.
 */
export const listOf = <T extends z.ZodType>(item: T, rules: ListRules = {}) =>
  z
    .preprocess(
      (value) => (Array.isArray(value) ? value : undefined),
      z.array(z.unknown()).default([]).transform(items(item, rules)),
    )
    .meta({ item });

/** Parameters of a method; {@link ParamRules} says whether unknown members are ignored. */
export const params = <S extends z.ZodRawShape>(shape: S) => z.object(shape);

/** Parameters of a method without parameters. */
export const none = z.object({});

/**
 * Reads the member `params` of a request: an object, or one of the empty values that clients send in place of no
 * parameters (absent, null, `[]`, `""`).
 * @throws RpcError `INVALID_PARAMS` for any other value: ignoring it would run the call with defaults.
 */
export function readParamsObject(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === '' || isEmpty(value)) return {};
  if (isObject(value)) return value;
  throw invalidParams('params: expected an object');
}

/** Rules for parameters that do not fit the schema of a method. */
export interface ParamRules {
  /**
   * True for a method that the reference lacks: parameters that the schema lacks are refused, with a suggestion, and so
   * is another value in place of a list. For a method of the reference, both are ignored, as in the reference, except
   * for a misspelt member of an object that lacks a member.
   */
  readonly isOwn?: boolean;
  /** Parameters of other methods, which are refused in any case. */
  readonly others?: OtherParams | undefined;
}

/** Refuses parameters that do not fit a schema, by the rules of the method. @throws RpcError `INVALID_PARAMS` */
function assertKnown(
  schema: z.ZodType,
  given: Readonly<Record<string, unknown>>,
  { isOwn = false, others }: ParamRules,
): void {
  const wrong =
    (others && othersParam(schema, given, others)) ??
    (isOwn ? unknownMembers(schema, given) : misspeltObjects(schema, given));
  if (wrong !== undefined) throw unknownParams(wrong);
  const noList = isOwn ? noLists(schema, given) : undefined;
  if (noList !== undefined) throw invalidParams(noList);
}

/**
 * Validates the parameters of a request; a parameter that is null or an empty list counts as absent.
 * @throws RpcError `INVALID_PARAMS`, whose explanation names each invalid parameter and its required JSON type, never
 * its value. Message: http_server_handlers_map2.h.
 */
export async function readParams<S extends z.ZodType>(
  schema: S,
  value: unknown,
  rules: ParamRules = {},
): Promise<z.output<S>> {
  const given = readParamsObject(value);
  assertKnown(schema, given, rules);
  const parsed = await schema.safeParseAsync(givenValues(schema, given));
  if (parsed.success) return parsed.data;
  throw invalidParams(explanationOf(parsed.error.issues, given));
}

/** Creates the error of a call with invalid parameters. @param explanation must contain no value of a parameter. */
export const invalidParams = (explanation: string): RpcError =>
  new RpcError(INVALID_PARAMS, 'Invalid params', { explanation });

/**
 * Creates the error of a call with a parameter that its method does not have. The reason is also in the message, which
 * no client of the reference compares: the server of the reference ignores such parameters.
 */
const unknownParams = (explanation: string): RpcError =>
  new RpcError(INVALID_PARAMS, `Invalid params: ${explanation}`, { explanation });

/** Names of the parameters whose schema is {@link wholeObject}, by the schema of the parameters. */
const WHOLE_NAMES = new WeakMap<z.ZodType, readonly string[]>();

function wholeNames(schema: z.ZodType): readonly string[] {
  const known = WHOLE_NAMES.get(schema);
  if (known !== undefined) return known;
  const names = Object.entries(schema instanceof z.ZodObject ? schema.shape : {}).flatMap(([name, member]) =>
    member instanceof z.ZodOptional && member.unwrap() === wholeObject ? [name] : [],
  );
  WHOLE_NAMES.set(schema, names);
  return names;
}

/** Removes members without a value, except from parameters whose schema is {@link wholeObject}. */
function givenValues(
  schema: z.ZodType,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const whole = wholeNames(schema).filter((name) => isObject(given[name]));
  return whole.length === 0
    ? withoutEmpty(given)
    : { ...withoutEmpty(given), ...Object.fromEntries(whole.map((name) => [name, given[name]])) };
}

/**
 * Removes members without a value, also in nested objects, since the parser of the reference does not store such
 * members.
 */
const withoutEmpty = <T>(value: T): T => {
  if (!isObject(value)) return value;
  // Most parameters are values without members.
  if (!Object.values(value).some((member) => isEmpty(member) || isObject(member))) return value;
  const members = Object.entries(value).filter(([, member]) => !isEmpty(member));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmpty(member)])) as T;
};

/** Names of JSON types with their articles. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
};

/** Returns the value at a path in the parameters. */
const valueAt = (given: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, key)
        ? (value as Readonly<Record<PropertyKey, unknown>>)[key]
        : undefined,
    given,
  );

/** Returns the message of an issue, which suggests a similar word in place of a word that is none of the expected ones. */
function messageOf(issue: z.core.$ZodIssue, given: unknown): string {
  const value = issue.code === 'invalid_value' ? valueAt(given, issue.path) : undefined;
  if (issue.code !== 'invalid_value' || typeof value !== 'string') return issue.message;
  return issue.message + didYouMean(value, issue.values.map(String));
}

const explanationOf = (issues: readonly z.core.$ZodIssue[], given: unknown): string =>
  issues
    .map((issue) => {
      const reason =
        issue.code === 'invalid_type'
          ? `expected ${JSON_TYPES[issue.expected] ?? 'another JSON type'}`
          : messageOf(issue, given);
      return issue.path.length === 0 ? reason : `${issue.path.map(String).join('.')}: ${reason}`;
    })
    .join('; ');
