import { CLUSTER_OPTIONS } from './cluster-options.js';
import { DAEMON_OPTIONS } from './daemon-options.js';
import type { OptionSpec } from './option-spec.js';
import { PAY_OPTIONS } from './pay-options.js';
import { PROCESS_OPTIONS } from './process-options.js';
import { SERVER_OPTIONS } from './server-options.js';
import { WALLET_OPTIONS } from './wallet-options.js';
import { WATCH_OPTIONS } from './watch-options.js';

/** Options of the server, in the order of the help. */
export const OPTIONS: readonly OptionSpec[] = [
  ...WALLET_OPTIONS,
  ...SERVER_OPTIONS,
  ...WATCH_OPTIONS,
  ...PAY_OPTIONS,
  ...CLUSTER_OPTIONS,
  ...DAEMON_OPTIONS,
  ...PROCESS_OPTIONS,
];

/** Returns the environment variable of a flag: `WALLET_RPC_` and the flag's name in capitals. */
export const environmentName = (option: string): string =>
  `WALLET_RPC_${option.replaceAll('-', '_').toUpperCase()}`;
