import * as z from 'zod';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import { logCategories, optional } from './config-values.js';
import type { Given, Options } from './option.js';

/** Options of the network. */
export const NETWORK_OPTIONS = {
  testnet: { help: 'wallets and node are on testnet' },
  stagenet: { help: 'wallets and node are on stagenet' },
} as const satisfies Options;

/** Returns the network. */
export const networkOf = ({ testnet, stagenet }: Given<typeof NETWORK_OPTIONS>): NetworkType =>
  testnet ? 'testnet' : stagenet ? 'stagenet' : 'mainnet';

/** Options of the log and the process. */
export const PROCESS_OPTIONS = {
  'log-level': {
    argument: 'level',
    help: 'how much is logged: 0 to 4, which is everything; also with categories, as 0,wallet.rpc:DEBUG',
    default: '0',
    value: z.string().transform(logCategories),
  },
  'log-file': {
    argument: 'file',
    help: 'append the log, as JSON lines, to this file too; opened again on SIGHUP',
  },
  'max-log-file-size': {
    argument: 'bytes',
    help: 'ignored: rotate the file with logrotate',
    noEffect: true,
  },
  'max-log-files': {
    argument: 'n',
    help: 'ignored: rotate the file with logrotate',
    noEffect: true,
  },
  'config-file': {
    argument: 'file',
    help: 'lines name=value, names as here without the dashes; a switch is name=1, and # begins a comment',
  },
  'non-interactive': { help: 'never ask on the terminal' },
  detach: {
    help: 'run in the background: returns once requests are answered; the log goes to --log-file alone',
  },
  pidfile: {
    argument: 'file',
    help: 'write the process id to this file',
  },
  'shared-ringdb-dir': {
    argument: 'dir',
    help: 'ignored',
    noEffect: true,
  },
  'extra-entropy': { argument: 'file', help: 'ignored', noEffect: true },
} as const satisfies Options;

/** Returns the settings of the process. */
export const processConfig = (given: Given<typeof PROCESS_OPTIONS>) => ({
  log: { categories: given['log-level'], ...optional('file', given['log-file']) },
  interactive: !given['non-interactive'],
  /** True: runs in the background. */
  detach: given.detach,
  ...optional('pidFile', given.pidfile),
});
