/** Summaries of the commands by name, in the order of the help. `commands.ts` has the command of each name. */
export const COMMAND_SUMMARIES = {
  backup: 'write a checked copy of a wallet, which a server may have open',
  checkpoint: 'make and check the checkpoints from which the work of a chain is verified',
  cluster: 'prepare, show and change the database of a cluster',
  completion: 'print the completions for a shell',
  credential: 'add, list and remove the clients of --credentials',
  export: 'write all payments of a period, for accounting',
  man: 'print the manual page',
  migrate: 'compare wallets with the caches of monero-wallet-rpc that they came from',
  restore: 'make a wallet from a backup',
  verify: 'check every page of a backup',
  'verify-reserve': 'verify the reserve of a file that get_reserve_bundle made',
} as const;

/** Name of a command. */
export type CommandName = keyof typeof COMMAND_SUMMARIES;

/** Names of all commands. */
export const COMMAND_NAMES = Object.keys(COMMAND_SUMMARIES) as readonly CommandName[];

/** True for the name of a command. */
export const isCommandName = (text: string): text is CommandName => Object.hasOwn(COMMAND_SUMMARIES, text);

/** Lists the commands with their summaries, a line each, for the help. */
export const commandLines = (): string => {
  const width = Math.max(...COMMAND_NAMES.map((name) => name.length));
  return COMMAND_NAMES.map((name) => `  ${name.padEnd(width)}  ${COMMAND_SUMMARIES[name]}`).join('\n');
};
