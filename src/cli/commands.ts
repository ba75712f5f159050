import { CommanderError, type Command } from 'commander';
import { explain } from '../rpc/error-explanations.js';
import { WalletError } from '../wallet/model/wallet-error.js';
import { backupCommands } from './backup-commands.js';
import { runCredentialCommand } from './credential-command.js';
import { ConfigError } from './options.js';

const COMMANDS: Readonly<Record<string, Command>> = backupCommands;

const terminal = {
  print: (line: string): void => void process.stdout.write(`${line}\n`),
  hint: (line: string): void => void process.stderr.write(`${line}\n`),
};

/** Runs a command. @returns the exit code. @throws ConfigError with the reason of a failure. */
export async function runCommand(name: string, args: readonly string[]): Promise<number> {
  if (name === 'credential') {
    await runCredentialCommand(args, terminal);
    return 0;
  }
  const command = COMMANDS[name];
  if (command === undefined) throw new ConfigError(`there is no command ${name}`);
  try {
    await command.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (error instanceof WalletError) throw new ConfigError(explain(error.fault), { cause: error });
    throw error;
  }
}
