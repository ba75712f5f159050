import { CommanderError, type Command } from 'commander';
import { explain } from '../../rpc/faults/fault-table.js';
import { faultOf } from '../../model/wallet-error.js';
import { commandModel, type CommandModel } from '../manual/command-model.js';
import { backupCommand, restoreCommand, verifyCommand } from './backup-commands.js';
import { checkpointCommand } from './checkpoint-command.js';
import { clusterCommand, isClusterError } from './cluster-command.js';
import { COMMAND_NAMES, COMMAND_SUMMARIES, type CommandName } from '../config/command-names.js';
import { credentialCommand, type Terminal } from './credential-command.js';
import { exportCommand } from './export-command.js';
import { completionCommand, manCommand } from './manual-commands.js';
import { migrateCommand } from './migrate-command.js';
import { verifyReserveCommand } from './verify-reserve-command.js';
import { printableLines } from '../../util/line-file.js';
import { ConfigError } from '../config/config-values.js';

const TERMINAL: Terminal = {
  print: (lines) => void process.stdout.write(`${printableLines(lines)}\n`),
  hint: (lines) => void process.stderr.write(`${printableLines(lines)}\n`),
};

/** Commands by name. Each is created for one run. @param done receives an exit code other than 0. */
const COMMANDS: Readonly<Record<CommandName, (terminal: Terminal, done: (code: number) => void) => Command>> =
  {
    backup: backupCommand,
    checkpoint: checkpointCommand,
    cluster: clusterCommand,
    completion: (terminal) => completionCommand(commandModels, terminal),
    credential: credentialCommand,
    export: exportCommand,
    man: (terminal) => manCommand(commandModels, terminal),
    migrate: migrateCommand,
    restore: restoreCommand,
    verify: verifyCommand,
    'verify-reserve': verifyReserveCommand,
  };

/** Returns the models of all commands, from which the manual page and the completions are written. */
export const commandModels = (): readonly CommandModel[] =>
  COMMAND_NAMES.map((name) =>
    commandModel(
      name,
      COMMAND_SUMMARIES[name],
      COMMANDS[name](TERMINAL, () => undefined),
    ),
  );

/** Runs a command. @returns the exit code. @throws ConfigError with the reason of a failure. */
export async function runCommand(name: CommandName, args: readonly string[]): Promise<number> {
  let code = 0;
  const command = COMMANDS[name](TERMINAL, (given) => {
    code = given;
  });
  try {
    await command.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (isClusterError(error)) throw new ConfigError(error.message, { cause: error });
    const fault = faultOf(error);
    if (fault !== undefined) throw new ConfigError(explain(fault), { cause: error });
    throw error;
  }
}
