import type { OptionSpec } from './option-spec.js';

/** Options of the network, the log and the process. */
export const PROCESS_OPTIONS: readonly OptionSpec[] = [
  { name: 'testnet', group: 'Network', help: 'wallets and node are on testnet' },
  { name: 'stagenet', group: 'Network', help: 'wallets and node are on stagenet' },
  {
    name: 'log-level',
    argument: 'level',
    group: 'Logging and process',
    help: 'how much is logged: 0 to 4, which is everything; also with categories, as 0,wallet.rpc:DEBUG',
    default: '0',
  },
  {
    name: 'log-file',
    argument: 'file',
    group: 'Logging and process',
    help: 'append the log, as JSON lines, to this file too; opened again on SIGHUP',
  },
  {
    name: 'max-log-file-size',
    argument: 'bytes',
    group: 'Logging and process',
    help: 'ignored: rotate the file with logrotate',
    noEffect: true,
  },
  {
    name: 'max-log-files',
    argument: 'n',
    group: 'Logging and process',
    help: 'ignored: rotate the file with logrotate',
    noEffect: true,
  },
  {
    name: 'config-file',
    argument: 'file',
    group: 'Logging and process',
    help: 'lines name=value, names as here without the dashes; a switch is name=1, and # begins a comment',
  },
  { name: 'non-interactive', group: 'Logging and process', help: 'never ask on the terminal' },
  {
    name: 'detach',
    group: 'Logging and process',
    help: 'run in the background: returns once requests are answered; the log goes to --log-file alone',
  },
  {
    name: 'pidfile',
    argument: 'file',
    group: 'Logging and process',
    help: 'write the process id to this file',
  },
  {
    name: 'shared-ringdb-dir',
    argument: 'dir',
    group: 'Logging and process',
    help: 'ignored',
    noEffect: true,
  },
  { name: 'extra-entropy', argument: 'file', group: 'Logging and process', help: 'ignored', noEffect: true },
];
