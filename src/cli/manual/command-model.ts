import type { Command, Option } from 'commander';
import * as z from 'zod';
import type { OptionSpec } from '../config/option.js';

/** A flag of a program or of one of its commands. */
export interface Flag {
  /** Name without the dashes. */
  readonly name: string;
  /** Placeholder of the value; absent for a switch. */
  readonly argument?: string;
  readonly help: string;
  /** Words that the flag takes; absent: any value. */
  readonly words?: readonly string[];
  readonly isRepeatable: boolean;
  readonly isRequired: boolean;
  /** Group in which the help lists the flag. */
  readonly group?: string;
}

/** An argument without a flag. */
export interface Positional {
  readonly name: string;
  readonly help: string;
  readonly isRequired: boolean;
  readonly words?: readonly string[];
}

/** A program or a command with its flags, from which manual pages and completions are written. */
export interface CommandModel {
  /** Words of the command after the name of the program, such as `cluster init`; empty for the program itself. */
  readonly path: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly positionals: readonly Positional[];
  readonly commands: readonly CommandModel[];
}

/** Kind of the values of a flag or an argument, which a shell can complete. */
export type ValueKind = 'file' | 'directory' | 'other';

/** Returns the kind of a value by its placeholder. */
export function kindOf(placeholder: string): ValueKind {
  if (placeholder === 'file') return 'file';
  return placeholder === 'dir' || placeholder === 'directory' ? 'directory' : 'other';
}

/** Returns the words of a schema; undefined for a schema of any other values. */
function wordsOf(schema: z.core.$ZodType | undefined): readonly string[] | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return wordsOf(schema.def.innerType);
  return schema instanceof z.ZodEnum ? schema.options.map(String) : undefined;
}

const withWords = (words: readonly string[] | undefined): Partial<Record<'words', readonly string[]>> =>
  words === undefined ? {} : { words };

/** Returns the flag of an option of a program. */
export const flagOf = ({ name, argument, help, value, group, ...option }: OptionSpec): Flag => ({
  ...{ name, group, isRepeatable: option.repeatable === true, isRequired: false },
  ...(argument === undefined ? {} : { argument }),
  ...withWords(wordsOf(value)),
  help: option.default === undefined ? help : `${help} (default: ${option.default})`,
});

/** Flag that every program and command has. */
export const HELP_FLAG: Flag = {
  ...{ name: 'help', help: 'print the help', isRepeatable: false, isRequired: false },
};

/** Returns the flag of an option of commander. */
function commandFlag({
  long,
  flags,
  description,
  argChoices,
  mandatory,
  parseArg,
  defaultValue,
}: Option): Flag {
  const argument = /<(.*)>/.exec(flags)?.[1];
  return {
    name: (long ?? '').slice(2),
    help: typeof defaultValue === 'string' ? `${description} (default: ${defaultValue})` : description,
    isRequired: mandatory,
    ...(argument === undefined ? {} : { argument }),
    ...withWords(argChoices),
    // A parser without choices collects the values of a repeatable option.
    isRepeatable: parseArg !== undefined && argChoices === undefined,
  };
}

/** Returns the model of a command of commander. @param path words of the command. */
export const commandModel = (path: string, summary: string, command: Command): CommandModel => ({
  ...{ path, summary },
  flags: [...command.options.map(commandFlag), HELP_FLAG],
  positionals: command.registeredArguments.map((argument) => ({
    ...{ name: argument.name(), help: argument.description, isRequired: argument.required },
    ...withWords(argument.argChoices),
  })),
  commands: command.commands.map((inner) =>
    commandModel(`${path} ${inner.name()}`, inner.description(), inner),
  ),
});

/** Lists a model and all its commands, those of commands included. */
export const withCommands = (model: CommandModel): readonly CommandModel[] => [
  model,
  ...model.commands.flatMap(withCommands),
];

/** Returns the last word of the path of a command. */
export const lastWord = ({ path }: CommandModel): string => path.split(' ').at(-1) ?? '';
