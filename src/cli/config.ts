import { readFileSync } from 'node:fs';
import { isIP, isIPv4 } from 'node:net';
import { DAEMON_RPC_PORT } from '../cryptonote/constants.js';
import type { NetworkType } from '../cryptonote/types.js';
import { endpointName, parseEndpoint } from '../daemon/connector.js';
import type { Nameserver } from '../dns/exchange.js';
import { parseNameserver } from '../dns/resolver.js';
import { readLogLevel } from '../util/log-categories.js';
import { Secret } from '../util/secret.js';
import { utf8 } from '../util/bytes.js';
import type { ReadinessLimits } from '../watch/readiness.js';
import type { ExportFormat } from '../wallet/exchange/exported-outputs.js';
import { parseConfigFile, readSetting, type Setting, type Settings } from './config-file.js';
import { ConfigError, environmentName, OPTIONS, type RawOptions } from './options.js';
import { parseTcpEndpoint, type TcpEndpoint } from './tcp-endpoint.js';

export type SslMode = 'enabled' | 'disabled' | 'autodetect';

export interface SslConfig {
  readonly mode: SslMode;
  readonly privateKeyPath?: string;
  readonly certificatePath?: string;
  readonly caFile?: string;
  /** SHA-256, lower-case hex without separators. */
  readonly allowedFingerprints: readonly string[];
  readonly allowChained: boolean;
}

/** Address of a node, and whether answers of it are believed that cannot be verified. */
export interface DaemonAddress {
  /** `host:port`, optionally with `http://` or `https://`. */
  readonly address: string;
  readonly trusted: boolean;
}

/** Credentials; without a password the process prompts for it. */
export interface LoginConfig {
  readonly user: string;
  readonly password: Secret | undefined;
}

const MAX_THRESHOLDS = 8;
const MAX_CONFIRMATIONS = 10_000;

/** Validated settings of the process. */
export interface Config {
  readonly network: NetworkType;
  readonly wallet: {
    readonly dir?: string;
    readonly file?: string;
    readonly password?: Secret;
    /** Wallets of the directory to open at the start. */
    readonly open: readonly string[];
    /** Directory with their passwords, a file a wallet. */
    readonly passwordDir?: string;
    /** Directory that backups are written to. */
    readonly backupDir?: string;
    readonly promptForPassword: boolean;
    readonly kdfRounds: number;
    readonly exportFormat: ExportFormat;
    readonly txNotify?: string;
    /** Thresholds of `payment.confirmed`, ascending. */
    readonly confirmations: readonly number[];
    readonly eventRetentionMs: number;
  };
  readonly rpc: {
    /** Addresses to listen on; the server starts without an optional one that cannot be bound. */
    readonly bind: readonly { readonly ip: string; readonly optional: boolean }[];
    readonly port: number;
    readonly login?: LoginConfig;
    /** File of credentials. */
    readonly credentials?: string;
    readonly auditLog?: string;
    readonly restricted: boolean;
    readonly origins: readonly string[];
    /** Host names accepted in the `Host` header when no login is set, in lower case. */
    readonly hosts: readonly string[];
    readonly apiVersion: ApiVersion;
    readonly ssl: SslConfig;
    readonly maxConnections: number;
    readonly maxConnectionsPerPrivateIp: number;
    readonly maxConnectionsPerPublicIp: number;
  };
  readonly daemon: {
    /** At least one, in the order of preference. */
    readonly addresses: readonly DaemonAddress[];
    readonly login?: LoginConfig;
    readonly proxy?: string;
    /** ZeroMQ publisher of the daemon. */
    readonly zmq?: { readonly host: string; readonly port: number };
    readonly ssl: SslConfig & { readonly allowAnyCert: boolean };
    readonly allowMismatchedVersion: boolean;
    readonly offline: boolean;
  };
  /** Regtest node that starts with the server; absent: use the nodes of `daemon.addresses`. */
  readonly regtest?: {
    /** 0 picks a free port. */
    readonly port: number;
    readonly dataDir?: string;
  };
  readonly dns: {
    /** Resolve OpenAlias names. False when offline, and behind a proxy, which DNS would bypass. */
    readonly enabled: boolean;
    /** Empty: use the system's resolvers. */
    readonly servers: readonly Nameserver[];
  };
  readonly webhooks: {
    /** Allow targets that are not public. */
    readonly allowPrivate: boolean;
  };
  readonly watch: {
    /** Address of `/metrics`; absent: on the port of the server. */
    readonly metrics?: { readonly ip: string; readonly port: number };
    /** Limits of `/readyz`. */
    readonly ready: ReadinessLimits;
  };
  readonly threads: number;
  readonly log: { readonly categories: string; readonly file?: string };
  readonly interactive: boolean;
  /** Run in the background. */
  readonly detach: boolean;
  readonly pidFile?: string;
  /** Flags that are set but have no effect. */
  readonly withoutEffect: readonly string[];
}

export type ApiVersion = '1.3' | '1.32';

/** Default port of the server: the default RPC port of the node plus two. */
const RPC_PORT: Record<NetworkType, number> = { mainnet: 18083, testnet: 28083, stagenet: 38083 };

/**
 * Merges the sources: the command line overrides the environment, which overrides the config file. A source may turn
 * off a switch of a lower one. @throws ConfigError
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

/** @throws ConfigError */
export function toConfig(raw: RawOptions, cores: number): Config {
  const text = (name: string): string | undefined => {
    const value = raw[name] ?? OPTIONS.find((option) => option.name === name)?.default;
    return typeof value === 'string' ? value : undefined;
  };
  /** Values of a repeatable option. */
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
    const fingerprints = list(`${prefix}-allowed-fingerprints`).map((item) =>
      item.replaceAll(':', '').toLowerCase(),
    );
    if (!fingerprints.every((item) => /^[0-9a-f]{64}$/.test(item)))
      throw new ConfigError(`--${prefix}-allowed-fingerprints: a SHA-256 fingerprint has 64 hex digits`);
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
  const addresses = readDaemonAddresses(
    texts('daemon-address'),
    `${isIP(daemonHost) === 6 ? `[${daemonHost}]` : daemonHost}:${raw['daemon-port'] === undefined ? DAEMON_RPC_PORT[network] : integer('daemon-port', on('regtest') ? 0 : 1, 65535) || DAEMON_RPC_PORT[network]}`,
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

/** Reads the address of a ZeroMQ publisher. @throws ConfigError */
function readZmq(text: string | undefined): TcpEndpoint | undefined {
  const endpoint = text === undefined ? undefined : parseTcpEndpoint(text);
  if (text !== undefined && (endpoint === undefined || endpoint.port === 0))
    throw new ConfigError('--daemon-zmq is tcp://host:port');
  return endpoint;
}

/** Reads the address of `/metrics`. @throws ConfigError */
function readMetricsBind(
  text: string | undefined,
  externalConfirmed: boolean,
): { ip: string; port: number } | undefined {
  if (text === undefined) return undefined;
  const [, host = '127.0.0.1', digits] = /^(?:([^:]+|\[[^\]]+\]):)?(\d{1,5})$/.exec(text) ?? [];
  const ip = host.replace(/^\[|\]$/g, '');
  const port = Number(digits);
  if (isIP(ip) === 0 || !(port <= 65_535)) throw new ConfigError('--metrics-bind is [ip:]port');
  assertLoopback(ip, externalConfirmed);
  return { ip, port };
}

/** @throws ConfigError for an address that other machines can reach, unless that is confirmed. */
function assertLoopback(ip: string, externalConfirmed: boolean): void {
  if (!isLoopback(ip) && !externalConfirmed)
    throw new ConfigError(
      `${ip} can be reached from outside this machine: add --confirm-external-bind if that is meant`,
    );
}

/** Reads the thresholds of `payment.confirmed`. @throws ConfigError */
function readConfirmations(texts: readonly string[]): number[] {
  const numbers = texts.map((text) => (/^\d{1,5}$/.test(text) ? Number(text) : 0));
  const thresholds = [...new Set(numbers)].sort((a, b) => a - b);
  const isValid = thresholds.every((n) => n >= 1 && n <= MAX_CONFIRMATIONS);
  if (!isValid || thresholds.length === 0 || thresholds.length > MAX_THRESHOLDS)
    throw new ConfigError(
      `--confirmations takes 1 to ${MAX_THRESHOLDS} whole numbers from 1 to ${MAX_CONFIRMATIONS}, comma separated`,
    );
  return thresholds;
}

/** True for addresses of 127.0.0.0/8 and ::1; false for every host name. */
export const isLoopback = (ip: string): boolean =>
  (isIPv4(ip) && ip.startsWith('127.')) || ip === '::1' || ip === '::ffff:127.0.0.1';

/**
 * Resolves the TLS mode of an option.
 * @param pinned the peer's certificates are restricted, so plain connections, which would bypass that, are excluded.
 * Source: rpc_args.cpp `do_process_ssl`.
 */
function sslMode(name: string, asked: string | undefined, pinned: boolean): SslMode {
  if (asked !== 'enabled' && asked !== 'disabled' && asked !== 'autodetect')
    throw new ConfigError(`--${name} is one of enabled, disabled, autodetect`);
  if (!pinned) return asked;
  if (asked === 'disabled')
    throw new ConfigError(
      `--${name} disabled excludes --${name}-ca-certificates and --${name}-allowed-fingerprints`,
    );
  return 'enabled';
}

const badAddress = (cause?: unknown): ConfigError =>
  new ConfigError('--daemon-address is host:port, with http:// or https:// before it if you like', { cause });

/**
 * Reads the values of `--daemon-address`; one value may name several nodes with spaces between them.
 * @param fallback address if there is none. @param trusted trust of a node without a mark; undefined: only a node on
 * this machine is trusted. @throws ConfigError for a node that is named twice
 */
function readDaemonAddresses(
  values: readonly string[],
  fallback: string,
  trusted: boolean | undefined,
): DaemonAddress[] {
  const items = values.length === 0 ? [fallback] : values.flatMap((value) => value.trim().split(/\s+/));
  const addresses = items.map((item) => {
    const [, address = '', mark] = /^(.*?)(?:,(trusted|untrusted))?$/s.exec(item) ?? [];
    return { address, trusted: mark === undefined ? (trusted ?? isLocal(address)) : mark === 'trusted' };
  });
  const names = addresses.map(({ address }) => endpointName(endpointIn(address)));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new ConfigError(`--daemon-address names ${twice} twice`);
  return addresses;
}

/** Whether an address is that of this machine. */
function isLocal(address: string): boolean {
  const { host } = endpointIn(address);
  return host === 'localhost' || isLoopback(host);
}

function endpointIn(address: string): ReturnType<typeof parseEndpoint> {
  try {
    return parseEndpoint(address);
  } catch (cause) {
    throw badAddress(cause);
  }
}

/**
 * Requires a way to authenticate the daemon when TLS is enabled or a proxy is used.
 * Source: wallet2.cpp `make_basic`. @throws ConfigError
 */
function assertVerifiable(address: string, ssl: Config['daemon']['ssl'], proxy: string | undefined): void {
  const { host, port } = endpointIn(address);
  if (port === 0) throw badAddress();
  const wanted = ssl.mode === 'enabled' || proxy !== undefined;
  const known = ssl.allowAnyCert || ssl.caFile !== undefined || ssl.allowedFingerprints.length > 0;
  if (wanted && !known && !/\.(?:onion|i2p)$/i.test(host))
    throw new ConfigError(
      `--${ssl.mode === 'enabled' ? 'daemon-ssl enabled' : 'proxy'} needs --daemon-ssl-ca-certificates, ` +
        '--daemon-ssl-allowed-fingerprints, --daemon-ssl-allow-any-cert, or a .onion or .i2p address',
    );
}

function bindAddresses(
  ipv4: string,
  ipv6: string,
  rules: { readonly ipv6: boolean; readonly ipv4Optional: boolean; readonly externalConfirmed: boolean },
): Config['rpc']['bind'] {
  const bare = ipv6.replace(/^\[(.*)\]$/, '$1');
  if (isIP(ipv4) === 0) throw new ConfigError('--rpc-bind-ip is not an IP address');
  if (rules.ipv6 && isIP(bare) !== 6) throw new ConfigError('--rpc-bind-ipv6-address is not an IPv6 address');
  const bind = [
    { ip: ipv4, optional: rules.ipv6 && rules.ipv4Optional },
    ...(rules.ipv6 ? [{ ip: bare, optional: false }] : []),
  ];
  for (const { ip } of bind) assertLoopback(ip, rules.externalConfirmed);
  return bind;
}

/** @param asked value of `--log-level`. @throws ConfigError */
export function logCategories(asked: string | undefined): string {
  const categories = readLogLevel(asked ?? '0');
  if (categories === undefined)
    throw new ConfigError(
      '--log-level is 0 to 4, a list of categories as wallet.rpc:DEBUG, or both with a comma between',
    );
  return categories;
}

function readLogin(name: string, value: string | undefined): LoginConfig | undefined {
  if (value === undefined) return undefined;
  const colon = value.indexOf(':');
  const user = colon < 0 ? value : value.slice(0, colon);
  if (user === '') throw new ConfigError(`--${name}: the user name is empty`);
  return { user, password: colon < 0 ? undefined : new Secret(utf8(value.slice(colon + 1))) };
}

function readHost(text: string): string {
  if (isIP(text) === 0 && !/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i.test(text))
    throw new ConfigError('--rpc-allowed-hosts is a list of host names, without scheme and port');
  return text.toLowerCase();
}

function readNameserver(text: string): Nameserver {
  try {
    return parseNameserver(text);
  } catch (cause) {
    throw new ConfigError('--dns-server is a list of ip[:port]', { cause });
  }
}

const optional = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };

function readText(path: string, option: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`--${option}: ${path} cannot be read`, { cause });
  }
}

export const withoutLineEnd = (text: string): string => text.replace(/[\r\n]+$/, '');
