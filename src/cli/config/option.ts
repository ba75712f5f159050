import * as z from 'zod';
import { ConfigError } from './config-values.js';

/** One flag, from which the README's table, the config file, the environment, `--help` and its setting are made. */
export interface Option {
  /** Placeholder of the value in the help; absent for a switch. */
  readonly argument?: string;
  readonly help: string;
  readonly default?: string;
  /**
   * Schema of the setting; absent: a text, or a switch. The message of an issue is the text behind the name of the option;
   * readers of single values throw {@link ConfigError} themselves.
   */
  readonly value?: z.ZodType;
  /** True: the option may be repeated, and its values are collected. */
  readonly repeatable?: true;
  /** True: the option is accepted only because launchers of the reference pass it; a warning at the start names it. */
  readonly noEffect?: true;
  /** True: the value is a secret, which the process list would show on the command line. */
  readonly secret?: true;
}

/** Options by name, in the order of the help. */
export type Options = Readonly<Record<string, Option>>;

export type OptionGroup =
  | 'Wallets'
  | 'Server'
  | 'TLS of the server'
  | 'Watch'
  | 'Payouts'
  | 'Pay pages'
  | 'Cluster'
  | 'Daemon'
  | 'Chain'
  | 'Network'
  | 'Logging and process';

/** An option with its name and the group in which the help lists it. */
export interface OptionSpec extends Option {
  readonly name: string;
  readonly group: OptionGroup;
}

/** Lists the options of a group. */
export const inGroup = (group: OptionGroup, options: Options): OptionSpec[] =>
  Object.entries(options).map(([name, option]) => ({ name, group, ...option }));

/** Raw settings by flag name: true for a switch, a list for a repeatable option, a text for any other option. */
export type RawOptions = Readonly<Record<string, string | true | readonly string[]>>;

type ValueOf<O extends Option> = O extends { readonly value: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : O extends { readonly argument: string }
    ? O extends { readonly default: string }
      ? string
      : string | undefined
    : boolean;

/** Settings of some options, by name. */
export type Given<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> };

/** Texts of a repeatable option. */
export const texts = z.union([z.string().transform((value) => [value]), z.array(z.string())]).default([]);

/** Items of a comma-separated list. */
export const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

/** Returns the schema of a whole number from a minimum to a maximum, both inclusive. */
export const integer = (min: number, max: number) => {
  const message = ` takes a whole number from ${min} to ${max}`;
  return z
    .string(message)
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((number) => number >= min && number <= max, message);
};

/** Returns the schema of an option whose value is one of several words. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words, message: string) =>
  z.enum(words, message);

const TEXT = z.string().optional();
const SWITCH = z
  .literal(true)
  .optional()
  .transform((value) => value === true);

/**
 * Reads options; an absent option has its default.
 * @throws ConfigError for the first option that its schema refuses.
 */
export function readOptions<O extends Options>(options: O, raw: RawOptions): Given<O> {
  const shape: Record<string, z.ZodType> = {};
  const values: Record<string, unknown> = {};
  for (const [name, { argument, value, default: initial }] of Object.entries(options)) {
    shape[name] = value ?? (argument === undefined ? SWITCH : TEXT);
    values[name] = raw[name] ?? initial;
  }
  // Each schema reads once: compiling it takes longer than it saves, and delays the start of the server.
  const { success, data, error } = z.object(shape).safeParse(values, { jitless: true });
  if (success) return data as Given<O>;
  const [issue] = error.issues;
  throw new ConfigError(`--${issue?.path.join('.') ?? ''}${issue?.message ?? ''}`);
}

/** Reads a whole number whose range depends on other options. @throws ConfigError */
export const readInteger = (name: string, raw: RawOptions, min: number, max: number): number | undefined =>
  readOptions({ [name]: { argument: 'n', help: '', value: integer(min, max).optional() } }, raw)[name] as
    | number
    | undefined;
