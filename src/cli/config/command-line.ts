import { Command, Option } from 'commander';
import { commandLines } from './command-names.js';
import { ConfigError } from './config-values.js';
import type { OptionSpec, RawOptions } from './option.js';
import { environmentName, OPTIONS } from './options.js';

/** Removes the value from an argument, since it may be a secret. */
const withoutValue = (flag: string): string => flag.replace(/^(--[^=]*|-[^-]).*$/s, '$1');

/** A program with its flags. */
export interface Program {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionSpec[];
  /** Text after the flags in the help. */
  readonly epilogue: string;
}

const WALLET_RPC: Program = {
  name: 'wallet-rpc',
  description: 'A Monero-compatible wallet RPC server over a remote daemon.',
  options: OPTIONS,
  epilogue:
    `Commands (wallet-rpc <command> --help lists the flags of each):\n${commandLines()}\n\n` +
    `Every option can also stand in the --config-file (name=value) or in the environment (${environmentName('rpc-login')}=...);\n` +
    'use those for secrets, which the process list would show.',
};

/**
 * Parses a command line. For `--help`, `--version` and syntax errors, commander prints a text and ends the process.
 * @throws ConfigError if an option occurs twice, or if a switch has a value.
 */
export function parseCommandLine(
  argv: readonly string[],
  version: string,
  program: Program = WALLET_RPC,
): RawOptions {
  const { unknown } = createCommand(version, program).parseOptions([...argv]);
  const [stranger] = unknown;
  const name = stranger === undefined ? undefined : withoutValue(stranger).slice(2);
  if (program.options.some((option) => option.name === name))
    throw new ConfigError(`--${name} is a switch and takes no value`);
  const readable =
    stranger === undefined || unknown.some((flag) => /^(-h|--help)$/.test(flag))
      ? argv
      : [withoutValue(stranger)];
  return createCommand(version, program)
    .parse(readable, { from: 'user' })
    .opts<Record<string, string | true | string[]>>();
}

function createCommand(version: string, { name: title, description, options, epilogue }: Program): Command {
  const command = new Command(title)
    .description(description)
    .version(version)
    .allowExcessArguments(false)
    .showHelpAfterError('(--help lists the options)')
    .addHelpText('after', `\n${epilogue}`);
  for (const { name, argument, group, help, default: initial, repeatable } of options) {
    const flags = argument === undefined ? `--${name}` : `--${name} <${argument}>`;
    const option = new Option(
      flags,
      initial === undefined ? help : `${help} (default: ${initial})`,
    ).helpGroup(`${group}:`);
    if (repeatable)
      option.argParser((value: string, previous: readonly string[] = []) => [...previous, value]);
    else if (argument !== undefined)
      option.argParser((value: string, previous: string | undefined) => {
        if (previous !== undefined) throw new ConfigError(`--${name} is given twice`);
        return value;
      });
    // Names that begin with `no-` are plain switches here, not negations of another option.
    option.negate = false;
    option.attributeName = () => name;
    command.addOption(option);
  }
  return command;
}
