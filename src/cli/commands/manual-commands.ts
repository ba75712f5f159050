import { Argument, Command } from 'commander';
import { readOwnPackage } from '../../util/own-package.js';
import type { OptionGroup } from '../config/option.js';
import { OPTIONS } from '../config/options.js';
import { bashCompletion } from '../manual/bash-completion.js';
import { flagOf, HELP_FLAG, type CommandModel, type Flag } from '../manual/command-model.js';
import { fishCompletion } from '../manual/fish-completion.js';
import { manPage } from '../manual/man-page.js';
import { zshCompletion } from '../manual/zsh-completion.js';
import type { Terminal } from './credential-command.js';

const PROGRAM = 'wallet-rpc';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** Names of the shells that have completions. */
const SHELL_NAMES = Object.keys(SHELLS) as (keyof typeof SHELLS)[];

const VERSION_FLAG: Flag = {
  ...{ name: 'version', help: 'print the version', isRepeatable: false, isRequired: false },
};

/** Group of the flags that print about the program. */
const LAST_GROUP: OptionGroup = 'Logging and process';

/** Returns the model of the program. @param commands models of its commands. */
const programModel = (commands: readonly CommandModel[]): CommandModel => ({
  ...{ path: '', summary: 'a Monero-compatible wallet RPC server over a remote daemon', positionals: [] },
  flags: [
    ...OPTIONS.map(flagOf),
    ...[VERSION_FLAG, HELP_FLAG].map((flag) => ({ ...flag, group: LAST_GROUP })),
  ],
  commands,
});

/** Writes the manual page of the program. */
export function walletRpcManual(commands: readonly CommandModel[]): string {
  const model = programModel(commands);
  return manPage({
    ...{ program: PROGRAM, version: readOwnPackage().version, summary: model.summary, model },
    description: [
      'Without a command, wallet-rpc serves wallets over JSON-RPC: it speaks the protocol of monero-wallet-rpc, and reads and writes its keys files. It needs a Monero node, which --daemon-address names; --regtest starts one with a chain of its own.',
      'Every flag can also be set in the environment (WALLET_RPC_ and its name in capitals, such as WALLET_RPC_RPC_LOGIN) and in the file of --config-file (lines name=value). The command line overrides the environment, which overrides the file. Set secrets in the environment or the file: the process list shows command lines to all users.',
    ],
    examples: [
      'wallet-rpc --regtest --wallet-dir wallets --disable-rpc-login',
      'wallet-rpc --daemon-address 127.0.0.1:18081 --wallet-dir wallets --rpc-bind-port 18083 --credentials clients.json',
      'wallet-rpc export shop --wallet-dir wallets --from 2026-01-01 --to 2027-01-01 --output 2026.csv',
    ],
    sections: [
      [
        'SIGNALS',
        [
          'SIGTERM and SIGINT end the server in order. SIGHUP reads credentials and certificates again, and opens the log files again.',
        ],
      ],
      [
        'EXIT STATUS',
        [
          '0 after an orderly end, 1 for an error; verify-reserve: 2 if outputs of a proven reserve are spent.',
        ],
      ],
      ['SEE ALSO', ['The folder docs of the package has a page for each topic.']],
    ],
  });
}

/** Creates the command `wallet-rpc completion`. @param models returns the models of all commands. */
export const completionCommand = (models: () => readonly CommandModel[], { print }: Terminal): Command =>
  new Command('wallet-rpc completion')
    .description('Prints the completions of wallet-rpc for a shell.')
    .addArgument(new Argument('<shell>', 'shell that completes').choices(SHELL_NAMES))
    .allowExcessArguments(false)
    .exitOverride()
    .action((shell: keyof typeof SHELLS) => print(SHELLS[shell](PROGRAM, programModel(models())).trimEnd()));

/** Creates the command `wallet-rpc man`. @param models returns the models of all commands. */
export const manCommand = (models: () => readonly CommandModel[], { print }: Terminal): Command =>
  new Command('wallet-rpc man')
    .description('Prints the manual page of wallet-rpc in roff: read it with wallet-rpc man | man -l -')
    .allowExcessArguments(false)
    .exitOverride()
    .action(() => print(walletRpcManual(models()).trimEnd()));
