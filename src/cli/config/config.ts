import { parseConfigFile, readSetting, type Setting, type Settings } from './config-file.js';
import { ConfigError, optional, readText } from './config-values.js';
import { CLUSTER_OPTIONS, clusterConfig } from './cluster-options.js';
import { DAEMON_OPTIONS, daemonConfig } from './daemon-options.js';
import { readOptions, type RawOptions } from './option.js';
import { environmentName, OPTIONS } from './options.js';
import { PAY_OPTIONS, payConfig, WATCH_OPTIONS, watchConfig } from './page-options.js';
import { PAYOUT_OPTIONS, payoutConfig } from './payout-options.js';
import { NETWORK_OPTIONS, networkOf, PROCESS_OPTIONS, processConfig } from './process-options.js';
import { rpcConfig, SERVER_OPTIONS, SERVER_TLS_OPTIONS } from './server-options.js';
import { sslConfig } from './ssl-options.js';
import { WALLET_OPTIONS, walletConfig } from './wallet-options.js';

/**
 * Merges the sources of settings: the command line overrides the environment, which overrides the config file. A source
 * can turn off a switch that a source of lower priority turns on. @throws ConfigError
 */
export function mergeSources(flags: RawOptions, environment: NodeJS.ProcessEnv): RawOptions {
  const fromEnvironment: Record<string, Setting> = {};
  for (const { name } of OPTIONS) {
    const value =
      environment[environmentName(name)] ?? (name === 'rpc-login' ? environment['RPC_LOGIN'] : undefined);
    if (value !== undefined) fromEnvironment[name] = readSetting(name, value, environmentName(name));
  }
  const path = flags['config-file'] ?? fromEnvironment['config-file'];
  const fromFile = typeof path === 'string' ? parseConfigFile(readText(path, 'config-file')) : {};
  const merged: Settings = { ...fromFile, ...fromEnvironment, ...flags };
  return Object.fromEntries(
    Object.entries(merged).filter(
      (entry): entry is [string, string | true | readonly string[]] => entry[1] !== false,
    ),
  );
}

/** Groups of options that exclude each other, in the order of their checks. */
const EXCLUSIVE: readonly (readonly string[])[] = [
  ['testnet', 'stagenet'],
  ['wallet-dir', 'wallet-file'],
  ['password', 'password-file', 'prompt-for-password'],
  ['rpc-login', 'disable-rpc-login'],
  ['credentials', 'disable-rpc-login'],
  ['trusted-daemon', 'untrusted-daemon'],
  ['verify-work', 'allow-mismatched-daemon-version'],
  ['daemon-address', 'daemon-host'],
  ['daemon-address', 'daemon-port'],
  ...['testnet', 'stagenet', 'offline', 'daemon-address', 'daemon-host', 'daemon-login', 'proxy'].map(
    (other) => ['regtest', other],
  ),
];

/** Checks which options are given together. @throws ConfigError */
function assertCompatible(raw: RawOptions): void {
  const has = (name: string): boolean => raw[name] !== undefined;
  for (const names of EXCLUSIVE) {
    const given = names.filter(has);
    if (given.length > 1)
      throw new ConfigError(`${given.map((name) => `--${name}`).join(' and ')} exclude each other`);
  }
  if (!has('wallet-dir') && !has('wallet-file'))
    throw new ConfigError('one of --wallet-dir and --wallet-file is needed');
  const hasPassword = ['password', 'password-file', 'prompt-for-password'].some(has);
  if (has('wallet-dir') && hasPassword)
    throw new ConfigError(
      'a password at the start goes with --wallet-file; clients of --wallet-dir send theirs',
    );
  if (has('wallet-file') && !hasPassword)
    throw new ConfigError(
      '--wallet-file needs one of --password-file, --password (which may be empty) and --prompt-for-password',
    );
  if (has('cluster') && !has('wallet-dir'))
    throw new ConfigError('--cluster keeps its wallets in --wallet-dir, which is not given');
  const { open } = raw;
  const opens = Array.isArray(open) ? open.length > 0 : open !== undefined;
  if (opens && !has('wallet-dir'))
    throw new ConfigError('--open names a wallet of --wallet-dir, which is not given');
  if (has('password-dir') && !opens && !has('cluster'))
    throw new ConfigError('--password-dir has the passwords of wallets that --open names: none is given');
}

/** Validated settings of the process. */
export type Config = ReturnType<typeof toConfig>;

/** Reads the settings of the merged sources. @param cores number of processor cores. @throws ConfigError */
export function toConfig(raw: RawOptions, cores: number) {
  assertCompatible(raw);
  const network = networkOf(readOptions(NETWORK_OPTIONS, raw));
  const wallet = readOptions(WALLET_OPTIONS, raw);
  const server = readOptions(SERVER_OPTIONS, raw);
  const daemon = readOptions(DAEMON_OPTIONS, raw);
  const allowAnyCert = daemon['daemon-ssl-allow-any-cert'];
  const daemonSsl = { ...sslConfig('daemon-ssl', daemon), allowAnyCert };
  const isExternalConfirmed = server['confirm-external-bind'];
  return {
    network,
    wallet: walletConfig(wallet),
    rpc: rpcConfig(server, network, sslConfig('rpc-ssl', readOptions(SERVER_TLS_OPTIONS, raw))),
    ...daemonConfig(daemon, raw, network, daemonSsl),
    /** True: webhooks may have targets that are not public. */
    webhooks: { allowPrivate: wallet['webhook-allow-private'] },
    watch: watchConfig(readOptions(WATCH_OPTIONS, raw), isExternalConfirmed),
    /** Settings of the pay pages; absent: the server has no pay pages. */
    ...optional('pay', payConfig(readOptions(PAY_OPTIONS, raw), isExternalConfirmed, network)),
    /** Settings of the queue of payouts. */
    payouts: payoutConfig(readOptions(PAYOUT_OPTIONS, raw)),
    /** Cluster of this process; absent: the process is not in a cluster. */
    ...optional('cluster', clusterConfig(readOptions(CLUSTER_OPTIONS, raw))),
    /** Number of scanning threads. */
    threads: wallet['max-concurrency'] || cores,
    ...processConfig(readOptions(PROCESS_OPTIONS, raw)),
    /** Flags that are set but have no effect. */
    withoutEffect: OPTIONS.filter(({ name, noEffect }) => noEffect && raw[name] !== undefined).map(
      ({ name }) => name,
    ),
  };
}
