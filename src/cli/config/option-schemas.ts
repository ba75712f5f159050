import * as z from 'zod';
import { ConfigError } from './config-error.js';
import type { RawOptions } from './option-spec.js';
import { OPTIONS } from './options.js';

/*
 * Schemas of options. The message of an issue is the text behind the name of its option; readers of single values throw
 * ConfigError themselves.
 */

/** Option with a text, which may be absent. */
export const text = z.string().optional();

/** Option with a text that has a default. */
export const defaulted = z.string();

/** Switch. */
export const flag = z
  .literal(true)
  .optional()
  .transform((value) => value === true);

/** Repeatable option. */
export const texts = z.union([z.string().transform((value) => [value]), z.array(z.string())]).default([]);

/** Option with a comma-separated list. */
export const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

/** Option with a whole number from one to another, both inclusive. */
export const integer = (min: number, max: number) => {
  const message = ` takes a whole number from ${min} to ${max}`;
  return z
    .string(message)
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((number) => number >= min && number <= max, message);
};

/** Option with one of some words. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words, message: string) =>
  z.enum(words, message);

const DEFAULTS: RawOptions = Object.fromEntries(
  OPTIONS.flatMap(({ name, default: initial }) => (initial === undefined ? [] : [[name, initial]])),
);

/** Reads options, absent ones by their default. @throws ConfigError for the first option that the schema refuses. */
export function readOptions<Schema extends z.ZodType>(schema: Schema, raw: RawOptions): z.output<Schema> {
  // Each schema reads once: to compile it takes longer than it saves, and the server listens only afterwards.
  const { success, data, error } = schema.safeParse({ ...DEFAULTS, ...raw }, { jitless: true });
  if (success) return data;
  const [issue] = error.issues;
  throw new ConfigError(`--${issue?.path.join('.') ?? ''}${issue?.message ?? ''}`);
}

/** Reads one option, as {@link readOptions}. @throws ConfigError */
export const readOption = <Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  raw: RawOptions,
): z.output<Schema> => readOptions(z.object({ [name]: schema }), raw)[name] as z.output<Schema>;
