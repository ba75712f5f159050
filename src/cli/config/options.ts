import { CLUSTER_OPTIONS } from './cluster-options.js';
import { DAEMON_OPTIONS } from './daemon-options.js';
import { inGroup, type OptionSpec } from './option.js';
import { PAYOUT_OPTIONS } from './payout-options.js';
import { PAY_OPTIONS, WATCH_OPTIONS } from './page-options.js';
import { NETWORK_OPTIONS, PROCESS_OPTIONS } from './process-options.js';
import { SERVER_OPTIONS, SERVER_TLS_OPTIONS } from './server-options.js';
import { WALLET_OPTIONS } from './wallet-options.js';

/** Options of the server, in the order of the help. */
export const OPTIONS: readonly OptionSpec[] = [
  ...inGroup('Wallets', WALLET_OPTIONS),
  ...inGroup('Server', SERVER_OPTIONS),
  ...inGroup('TLS of the server', SERVER_TLS_OPTIONS),
  ...inGroup('Watch', WATCH_OPTIONS),
  ...inGroup('Payouts', PAYOUT_OPTIONS),
  ...inGroup('Pay pages', PAY_OPTIONS),
  ...inGroup('Cluster', CLUSTER_OPTIONS),
  ...inGroup('Daemon', DAEMON_OPTIONS),
  ...inGroup('Network', NETWORK_OPTIONS),
  ...inGroup('Logging and process', PROCESS_OPTIONS),
];

/** Returns the environment variable of a flag: `WALLET_RPC_` and the flag's name in capitals. */
export const environmentName = (option: string): string =>
  `WALLET_RPC_${option.replaceAll('-', '_').toUpperCase()}`;
