import { z } from 'zod';
import { U64_MAX, type Amount } from '../util/amount.js';
import { INVALID_PARAMS, RpcError } from './errors.js';

/*
 * Wire parameters over exact JSON: integers arrive as bigint, or as digit strings from clients that quote them.
 * An absent parameter takes its default, as upstream's parser has it.
 */

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

/** Unsigned 64-bit, as a bigint. */
export const u64 = integer(0n, U64_MAX);

/** Unsigned 64-bit, in atomic units. */
export const atomic = u64.transform((value) => value as Amount);

/** Unsigned 64-bit that must fit a safe integer: heights and counts. Larger ones become the largest safe one. */
export const height = u64.transform((value) =>
  value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value),
);

/** Unsigned 32-bit. */
export const u32 = integer(0n, 0xffffffffn).transform(Number);

/** Signed 8-bit. */
export const i8 = integer(-128n, 127n).transform(Number);

export const text = z.string();
export const flag = z.boolean();

/** Where a list is expected, anything else counts as absent; items must fit. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.preprocess((value) => (Array.isArray(value) ? value : undefined), z.array(item).default([]));

/** Parameters of a method; unknown ones are ignored. */
export const params = <S extends z.ZodRawShape>(shape: S) => z.object(shape);

/** A method without parameters. */
export const none = z.object({});

/**
 * Reads what a caller gave; anything but an object counts as nothing, and a parameter that is null as absent.
 * @throws RpcError `INVALID_PARAMS`, which names what does not fit, never its value.
 */
export function readParams<S extends z.ZodType>(schema: S, given: unknown): z.output<S> {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const parsed = schema.safeParse(isObject ? dropNulls(given as Readonly<Record<string, unknown>>) : {});
  if (parsed.success) return parsed.data;
  throw new RpcError(INVALID_PARAMS, `Invalid params: ${complaint(parsed.error.issues)}`);
}

const dropNulls = (given: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

const complaint = (
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string =>
  issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
    .join('; ');
