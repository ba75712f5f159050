import { CLUSTER_OPTIONS } from './cluster-options.js';
import { DAEMON_OPTIONS } from './daemon-options.js';
import { didYouMean } from '../../util/nearest-name.js';
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

/** Names of all options of the server. */
export const OPTION_NAMES: readonly string[] = OPTIONS.map(({ name }) => name);

const PREFIX = 'WALLET_RPC_';

/** Returns the environment variable of a flag: `WALLET_RPC_` and the flag's name in capitals. */
export const environmentName = (option: string): string =>
  `${PREFIX}${option.replaceAll('-', '_').toUpperCase()}`;

/**
 * Explains which environment variables are like the variable of a flag and have no effect. Other variables with the same
 * prefix are left out: container managers set some for a service that is called wallet-rpc.
 */
export const misspeltVariables = (environment: NodeJS.ProcessEnv): readonly string[] =>
  Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX))
    .flatMap((name) => {
      const suggestion = didYouMean(name.slice(PREFIX.length), OPTION_NAMES, environmentName);
      const isKnown = OPTION_NAMES.some((option) => environmentName(option) === name);
      return isKnown || suggestion === '' ? [] : [`${name} has no effect${suggestion}`];
    });
