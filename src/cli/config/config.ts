import { isIPv6 } from 'node:net';
import { DAEMON_RPC_PORT } from '../../monero/cryptonote/constants.js';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import type { Nameserver } from '../../net/dns/exchange.js';
import { utf8 } from '../../util/bytes.js';
import { parseFingerprint } from '../../util/fingerprint.js';
import { Secret } from '../../util/secret.js';
import type { ExportFormat } from '../../monero/wallet/exchange/exported-outputs.js';
import type { ReadinessLimits } from '../../watch/readiness.js';
import { bindAddresses, readHost, readMetricsBind, type BindAddress } from './bind-addresses.js';
import { parseConfigFile, readSetting, type Setting, type Settings } from './config-file.js';
import {
  logCategories,
  optional,
  readConfirmations,
  readLogin,
  readNameserver,
  readText,
  readZmq,
  withoutLineEnd,
  type LoginConfig,
} from './config-values.js';
import {
  assertVerifiable,
  readDaemonAddresses,
  type DaemonAddress,
  type DaemonSslConfig,
} from './daemon-addresses.js';
import { ConfigError, environmentName, OPTIONS, type RawOptions } from './options.js';
import { sslMode, type SslConfig } from './ssl-config.js';

/** Validated settings of the process. */
export interface Config {
  readonly network: NetworkType;
  readonly wallet: {
    readonly dir?: string;
    readonly file?: string;
    readonly password?: Secret;
    /** Names of the wallets to open at the start. */
    readonly open: readonly string[];
    /** Directory with the passwords of these wallets, one file per wallet. */
    readonly passwordDir?: string;
    /** Directory for backups. */
    readonly backupDir?: string;
    readonly promptForPassword: boolean;
    readonly kdfRounds: number;
    readonly exportFormat: ExportFormat;
    readonly txNotify?: string;
    /** True: runs `--tx-notify`, and sends webhooks, also for the history of restored and imported wallets. */
    readonly notifyHistory?: boolean;
    /** Thresholds of `payment.confirmed` [confirmations], ascending. */
    readonly confirmations: readonly number[];
    readonly eventRetentionMs: number;
  };
  readonly rpc: {
    readonly bind: readonly BindAddress[];
    readonly port: number;
    readonly login?: LoginConfig;
    /** Path of the file of credentials. */
    readonly credentials?: string;
    readonly auditLog?: string;
    readonly restricted: boolean;
    readonly origins: readonly string[];
    /** Host names that the `Host` header may contain if no login is required, in lower case. */
    readonly hosts: readonly string[];
    readonly apiVersion: ApiVersion;
    /** True: errors have `data` for every client. */
    readonly errorDetails: boolean;
    readonly ssl: SslConfig;
    readonly maxConnections: number;
    readonly maxConnectionsPerPrivateIp: number;
    readonly maxConnectionsPerPublicIp: number;
  };
  readonly daemon: {
    /** Listed daemons in the order of preference, at least one. */
    readonly addresses: readonly DaemonAddress[];
    readonly login?: LoginConfig;
    readonly proxy?: string;
    /** Address of the daemon's ZeroMQ publisher. */
    readonly zmq?: { readonly host: string; readonly port: number };
    readonly ssl: DaemonSslConfig;
    readonly allowMismatchedVersion: boolean;
    readonly offline: boolean;
  };
  /** Settings of the regtest node that starts with the server; absent: the server uses `daemon.addresses`. */
  readonly regtest?: {
    /** Port of the node; 0: a free port. */
    readonly port: number;
    readonly dataDir?: string;
  };
  readonly dns: {
    /** True: resolves OpenAlias names. False when offline, and behind a proxy, which DNS lookups would bypass. */
    readonly enabled: boolean;
    /** DNS servers; empty: those of the operating system. */
    readonly servers: readonly Nameserver[];
  };
  readonly webhooks: {
    /** True: allows webhook targets that are not public. */
    readonly allowPrivate: boolean;
  };
  readonly watch: {
    /** Address of `/metrics`; absent: the page is on the port of the server. */
    readonly metrics?: { readonly ip: string; readonly port: number };
    /** Limits that decide on `/readyz`. */
    readonly ready: ReadinessLimits;
  };
  readonly threads: number;
  readonly log: { readonly categories: string; readonly file?: string };
  readonly interactive: boolean;
  /** True: runs in the background. */
  readonly detach: boolean;
  readonly pidFile?: string;
  /** Flags that are set but have no effect. */
  readonly withoutEffect: readonly string[];
}

/** Version of the API that the server speaks: as specified (1.3), or as the current monero-wallet-rpc (1.32). */
export type ApiVersion = '1.3' | '1.32';

/** Default port of the server for each network: the default RPC port of a node, plus two. */
const RPC_PORT: Record<NetworkType, number> = { mainnet: 18083, testnet: 28083, stagenet: 38083 };

/**
 * Writes a host as in a URL, with an IPv6 address in brackets. Hosts without a colon are not parsed, since the first
 * call of `isIPv6` takes 3 ms.
 */
const inBrackets = (host: string): string => (host.includes(':') && isIPv6(host) ? `[${host}]` : host);

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

/** Validates the settings. @param cores number of processors of this machine. @throws ConfigError */
export function toConfig(raw: RawOptions, cores: number): Config {
  const text = (name: string): string | undefined => {
    const value = raw[name] ?? OPTIONS.find((option) => option.name === name)?.default;
    return typeof value === 'string' ? value : undefined;
  };
  /** Returns the values of a repeatable option. */
  const texts = (name: string): readonly string[] => {
    const value = raw[name];
    return typeof value === 'string' ? [value] : Array.isArray(value) ? (value as readonly string[]) : [];
  };
  const on = (name: string): boolean => raw[name] === true;
  const integer = (name: string, min: number, max: number): number => {
    const value = text(name) ?? '';
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max))
      throw new ConfigError(`--${name} takes a whole number from ${min} to ${max}`);
    return number;
  };
  const exclusive = (...names: string[]): void => {
    const given = names.filter((name) => raw[name] !== undefined);
    if (given.length > 1)
      throw new ConfigError(`${given.map((name) => `--${name}`).join(' and ')} exclude each other`);
  };
  const list = (name: string): string[] =>
    (text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  const sslConfig = (prefix: string): SslConfig => {
    const fingerprints = list(`${prefix}-allowed-fingerprints`).map((item) => {
      const fingerprint = parseFingerprint(item);
      if (fingerprint !== undefined) return fingerprint;
      throw new ConfigError(`--${prefix}-allowed-fingerprints: a SHA-256 fingerprint has 64 hex digits`);
    });
    const [key, certificate, caFile] = ['private-key', 'certificate', 'ca-certificates'].map((part) =>
      text(`${prefix}-${part}`),
    );
    if ((key === undefined) !== (certificate === undefined))
      throw new ConfigError(`--${prefix}-private-key and --${prefix}-certificate go together`);
    return {
      mode: sslMode(prefix, text(prefix), caFile !== undefined || fingerprints.length > 0),
      ...optional('privateKeyPath', key),
      ...optional('certificatePath', certificate),
      ...optional('caFile', caFile),
      allowedFingerprints: fingerprints,
      allowChained: on(`${prefix}-allow-chained`),
    };
  };

  exclusive('testnet', 'stagenet');
  exclusive('wallet-dir', 'wallet-file');
  exclusive('password', 'password-file', 'prompt-for-password');
  exclusive('rpc-login', 'disable-rpc-login');
  exclusive('credentials', 'disable-rpc-login');
  exclusive('trusted-daemon', 'untrusted-daemon');
  exclusive('daemon-address', 'daemon-host');
  exclusive('daemon-address', 'daemon-port');
  for (const other of [
    'testnet',
    'stagenet',
    'offline',
    'daemon-address',
    'daemon-host',
    'daemon-login',
    'proxy',
  ])
    exclusive('regtest', other);
  if (raw['wallet-dir'] === undefined && raw['wallet-file'] === undefined)
    throw new ConfigError('one of --wallet-dir and --wallet-file is needed');
  if (
    raw['wallet-dir'] !== undefined &&
    (raw['password'] ?? raw['password-file'] ?? raw['prompt-for-password']) !== undefined
  )
    throw new ConfigError(
      'a password at the start goes with --wallet-file; clients of --wallet-dir send theirs',
    );
  if (
    raw['wallet-file'] !== undefined &&
    (raw['password'] ?? raw['password-file'] ?? raw['prompt-for-password']) === undefined
  )
    throw new ConfigError(
      '--wallet-file needs one of --password-file, --password (which may be empty) and --prompt-for-password',
    );

  const names = [...new Set(texts('open'))];
  if (names.length > 0 && raw['wallet-dir'] === undefined)
    throw new ConfigError('--open names a wallet of --wallet-dir, which is not given');
  if (raw['password-dir'] !== undefined && names.length === 0)
    throw new ConfigError('--password-dir has the passwords of wallets that --open names: none is given');

  const network: NetworkType = on('testnet') ? 'testnet' : on('stagenet') ? 'stagenet' : 'mainnet';
  const exportFormat = text('export-format');
  if (exportFormat !== 'current' && exportFormat !== '0.18.0')
    throw new ConfigError('--export-format is current or 0.18.0');
  const apiVersion = text('api-version');
  if (apiVersion !== '1.3' && apiVersion !== '1.32') throw new ConfigError('--api-version is 1.3 or 1.32');
  const bind = bindAddresses(text('rpc-bind-ip') ?? '', text('rpc-bind-ipv6-address') ?? '', {
    ipv6: on('rpc-use-ipv6'),
    ipv4Optional: on('rpc-ignore-ipv4'),
    externalConfirmed: on('confirm-external-bind'),
  });
  const passwordFile = text('password-file');
  const password =
    text('password') ??
    (passwordFile === undefined ? undefined : withoutLineEnd(readText(passwordFile, 'password-file')));
  const login = readLogin('rpc-login', text('rpc-login'));
  const daemonLogin = readLogin('daemon-login', text('daemon-login'));
  const daemonHost = text('daemon-host') ?? 'localhost';
  const trusted = on('trusted-daemon') ? true : on('untrusted-daemon') ? false : undefined;
  const defaultPort = DAEMON_RPC_PORT[network];
  const daemonPort =
    raw['daemon-port'] === undefined ? defaultPort : integer('daemon-port', on('regtest') ? 0 : 1, 65535);
  const addresses = readDaemonAddresses(
    texts('daemon-address'),
    `${inBrackets(daemonHost)}:${daemonPort || defaultPort}`,
    trusted,
  );
  const regtest = on('regtest')
    ? {
        port: raw['daemon-port'] === undefined ? DAEMON_RPC_PORT.mainnet : integer('daemon-port', 0, 65535),
        ...optional('dataDir', text('regtest-data-dir')),
      }
    : undefined;
  const proxy = text('proxy');
  if (proxy !== undefined && !/^(?:.+:)?\d{1,5}$/.test(proxy)) throw new ConfigError('--proxy is [ip:]port');
  const zmq = readZmq(text('daemon-zmq'));
  if (zmq !== undefined && proxy !== undefined)
    throw new ConfigError('--daemon-zmq cannot be used with --proxy: its connection would bypass the proxy');
  const daemonSsl = { ...sslConfig('daemon-ssl'), allowAnyCert: on('daemon-ssl-allow-any-cert') };
  for (const { address } of addresses) assertVerifiable(address, daemonSsl, proxy);

  return {
    network,
    wallet: {
      ...optional('dir', text('wallet-dir')),
      ...optional('file', text('wallet-file')),
      ...optional('password', password === undefined ? undefined : new Secret(utf8(password))),
      open: names,
      ...optional('passwordDir', text('password-dir')),
      ...optional('backupDir', text('backup-dir')),
      promptForPassword: on('prompt-for-password'),
      kdfRounds: integer('kdf-rounds', 1, 1_000_000),
      exportFormat,
      ...optional('txNotify', text('tx-notify')),
      ...(on('notify-history') ? { notifyHistory: true } : {}),
      confirmations: readConfirmations(list('confirmations')),
      eventRetentionMs: integer('event-retention', 1, 36_500) * 86_400_000,
    },
    rpc: {
      bind,
      port: raw['rpc-bind-port'] === undefined ? RPC_PORT[network] : integer('rpc-bind-port', 0, 65535),
      ...optional('login', login),
      ...optional('credentials', text('credentials')),
      ...optional('auditLog', text('audit-log')),
      restricted: on('restricted-rpc'),
      origins: list('rpc-access-control-origins'),
      hosts: list('rpc-allowed-hosts').map(readHost),
      apiVersion,
      errorDetails: on('error-details'),
      ssl: sslConfig('rpc-ssl'),
      maxConnections: integer('rpc-max-connections', 1, 100_000),
      maxConnectionsPerPrivateIp: integer('rpc-max-connections-per-private-ip', 1, 100_000),
      maxConnectionsPerPublicIp: integer('rpc-max-connections-per-public-ip', 1, 100_000),
    },
    daemon: {
      addresses,
      ...optional('login', daemonLogin),
      ...optional('proxy', proxy),
      ...optional('zmq', zmq),
      ssl: daemonSsl,
      allowMismatchedVersion: on('allow-mismatched-daemon-version'),
      offline: on('offline'),
    },
    ...optional('regtest', regtest),
    dns: {
      enabled: !on('no-dns') && !on('offline') && proxy === undefined,
      servers: list('dns-server').map(readNameserver),
    },
    webhooks: { allowPrivate: on('webhook-allow-private') },
    watch: {
      ...optional('metrics', readMetricsBind(text('metrics-bind'), on('confirm-external-bind'))),
      ready: {
        daemonSeconds: integer('ready-daemon-seconds', 0, 86_400),
        blocksBehind: integer('ready-blocks-behind', 0, 1_000_000_000),
        diskBytes: integer('ready-disk-bytes', 0, 1e15 - 1),
      },
    },
    threads: integer('max-concurrency', 0, 1024) || cores,
    log: { categories: logCategories(text('log-level')), ...optional('file', text('log-file')) },
    interactive: !on('non-interactive'),
    detach: on('detach'),
    ...optional('pidFile', text('pidfile')),
    withoutEffect: OPTIONS.filter(({ name, noEffect }) => noEffect && raw[name] !== undefined).map(
      ({ name }) => name,
    ),
  };
}
