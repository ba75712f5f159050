import { CommanderError } from 'commander';
import { explain } from '../../rpc/faults/fault-table.js';
import { faultOf } from '../../model/wallet-error.js';
import { backupCommands } from './backup-commands.js';
import { runCheckpointCommand } from './checkpoint-command.js';
import { runClusterCommand } from './cluster-command.js';
import { runCredentialCommand } from './credential-command.js';
import { runExportCommand } from './export-command.js';
import { runMigrateCommand } from './migrate-command.js';
import { runVerifyReserveCommand } from './verify-reserve-command.js';
import { printableLines } from '../../util/line-file.js';
import { ConfigError } from '../config/config-values.js';

const terminal = {
  print: (lines: string): void => void process.stdout.write(`${printableLines(lines)}\n`),
  hint: (lines: string): void => void process.stderr.write(`${printableLines(lines)}\n`),
};

/** Commands by name, each with the function that runs it, and may return an exit code other than 0. */
const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<unknown>>> = {
  checkpoint: (args) => runCheckpointCommand(args, terminal),
  cluster: (args) => runClusterCommand(args, terminal),
  credential: (args) => runCredentialCommand(args, terminal),
  export: (args) => runExportCommand(args, terminal),
  migrate: (args) => runMigrateCommand(args, terminal),
  'verify-reserve': (args) => runVerifyReserveCommand(args, terminal),
  ...Object.fromEntries(
    Object.entries(backupCommands(terminal.print)).map(([name, command]) => [
      name,
      (args: readonly string[]) => command.parseAsync([...args], { from: 'user' }),
    ]),
  ),
};

/** Runs a command. @returns the exit code. @throws ConfigError with the reason of a failure. */
export async function runCommand(name: string, args: readonly string[]): Promise<number> {
  const command = COMMANDS[name];
  if (command === undefined) throw new ConfigError(`there is no command ${name}`);
  try {
    const code = await command(args);
    return typeof code === 'number' ? code : 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    const fault = faultOf(error);
    if (fault !== undefined) throw new ConfigError(explain(fault), { cause: error });
    throw error;
  }
}
