import { spawn } from 'node:child_process';
import { getServers } from 'node:dns';
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import { digestAuth } from '../jsonrpc/digest-auth.js';
import { Dispatcher } from '../jsonrpc/dispatcher.js';
import { createHttpApp } from '../jsonrpc/http-app.js';
import { HttpServer, type TlsOptions } from '../jsonrpc/http-server.js';
import { startSlowHash } from '../crypto/slow-hash-worker.js';
import type { DaemonConfig } from '../daemon/http-daemon.js';
import { parseNameserver, Resolver } from '../dns/resolver.js';
import { createCall } from '../rpc/service.js';
import { WalletDirectory, locateFile } from '../services/wallet-directory.js';
import { OpenAlias } from '../services/open-alias.js';
import { WalletServer } from '../services/wallet-server.js';
import { toHex } from '../util/bytes.js';
import { Callers } from '../util/callers.js';
import { collectWhenIdle } from '../util/idle-collector.js';
import { systemRng } from '../util/random.js';
import { isLoopback, type Config, type LoginConfig, type SslConfig } from './config.js';
import { ConfigError, environmentName, OPTIONS } from './options.js';
import { promptSecret } from './prompt.js';
import { startRegtestProcess } from './regtest-process.js';

export interface RunningServer {
  readonly port: number;
  close(): Promise<void>;
}

const GRACE_MS = 5_000;
/** A refresh says how far it is at most this often. */
const PROGRESS_MS = 5_000;

const textOf = (secret: { expose(): Uint8Array }): string => Buffer.from(secret.expose()).toString('utf8');

async function credentials(name: string, login: LoginConfig | undefined, interactive: boolean) {
  if (login === undefined) return undefined;
  const password =
    login.password ?? (await promptSecret(`--${name}: password of ${login.user}`, interactive));
  return { user: login.user, password: textOf(password) };
}

/** The composition root: builds every layer and starts listening. @throws ConfigError */
export async function startServer(config: Config, log: Logger, stop: () => void): Promise<RunningServer> {
  // Opening a wallet begins with it.
  startSlowHash();
  const login = await credentials('rpc-login', config.rpc.login, config.interactive);
  const regtest = config.regtest && (await startRegtestProcess(config, log));
  const daemon = config.daemon.offline ? undefined : await daemonConfig(config, regtest?.address);
  const tls = readTls(config.rpc.ssl);
  const directory = config.wallet.dir === undefined ? undefined : openDirectory(config.wallet.dir);
  const callers = new Callers();
  const server = new WalletServer({
    callers,
    network: config.network,
    ...(directory === undefined ? {} : { directory }),
    kdfRounds: config.wallet.kdfRounds,
    exportFormat: config.wallet.exportFormat,
    restricted: config.rpc.restricted,
    threads: config.threads,
    ...(daemon === undefined ? {} : { daemon }),
    daemonTrusted: config.daemon.trusted ?? isLocal(config.daemon.address),
    anyFork: config.daemon.allowMismatchedVersion,
    rng: systemRng,
    openAlias: createOpenAlias(config),
    events: createEvents(config.wallet.txNotify, log),
    log,
    logLevel: config.log.level,
    // After the answer under way has left.
    stop: () => setTimeout(stop, 100),
  });

  announce(config, log, directory?.path, regtest?.address);
  if (config.wallet.file !== undefined) await openInitialWallet(config, server);

  const onBug = (error: unknown, method?: string): void =>
    log.error({ err: error, method }, 'a bug: an error that nobody foresaw');
  const dispatcher = new Dispatcher({
    call: createCall(server, config.rpc.apiVersion, log),
    onBug: (method, error) => onBug(error, method),
  });
  const http = new HttpServer({
    handler: createHttpApp({
      dispatcher,
      ...(login === undefined ? {} : { auth: digestAuth(login.user, login.password) }),
      origins: config.rpc.origins,
      hosts: config.rpc.bind.map(({ ip }) => ip),
      onBug,
      callers,
    }),
    ...(tls === undefined ? {} : { tls }),
    maxConnections: config.rpc.maxConnections,
    maxPerPrivateIp: config.rpc.maxConnectionsPerPrivateIp,
    maxPerPublicIp: config.rpc.maxConnectionsPerPublicIp,
  });
  const port = await bind(http, config, log);
  log.info('Starting wallet RPC server');
  server.start();
  collectWhenIdle(() => server.giveMemoryBack());
  return {
    port,
    async close() {
      await http.close(GRACE_MS);
      await server.close();
      await regtest?.close();
    },
  };
}

/** @param address of a node of our own. */
async function daemonConfig(config: Config, address?: string): Promise<DaemonConfig> {
  const login = await credentials('daemon-login', config.daemon.login, config.interactive);
  return {
    address: address ?? config.daemon.address,
    ...(login === undefined ? {} : { login }),
    ssl: config.daemon.ssl,
    ...(config.daemon.proxy === undefined ? {} : { proxy: config.daemon.proxy }),
  };
}

function createOpenAlias({ dns }: Config): OpenAlias {
  if (!dns.enabled) return new OpenAlias();
  const servers = dns.servers.length > 0 ? dns.servers : getServers().map(parseNameserver);
  return new OpenAlias(new Resolver({ servers, rng: systemRng }));
}

function openDirectory(path: string): WalletDirectory {
  try {
    return new WalletDirectory(path);
  } catch (cause) {
    throw new ConfigError(`--wallet-dir: ${path} cannot be used`, { cause });
  }
}

const isLocal = (address: string): boolean => {
  const host = address
    .replace(/^https?:\/\//, '')
    .replace(/:\d+\/?$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  return host === 'localhost' || isLoopback(host);
};

async function openInitialWallet(config: Config, server: WalletServer): Promise<void> {
  const { file, password, promptForPassword } = config.wallet;
  const secret =
    password ?? (promptForPassword ? await promptSecret('wallet password', config.interactive) : undefined);
  try {
    await server.openPaths(locateFile(file ?? ''), secret === undefined ? '' : textOf(secret));
  } catch (cause) {
    throw new ConfigError(
      `--wallet-file: ${cause instanceof Error ? cause.message.replaceAll('_', ' ') : 'cannot be opened'}`,
      { cause },
    );
  }
}

async function bind(http: HttpServer, config: Config, log: Logger): Promise<number> {
  let { port } = config.rpc;
  for (const { ip, optional } of config.rpc.bind) {
    const family = ip.includes(':') ? 'IPv6' : 'IPv4';
    try {
      port = await http.listen(ip, port);
      log.info(`Binding on ${ip} (${family}):${port}`);
    } catch (cause) {
      if (!optional) throw new ConfigError(`cannot listen on ${ip} port ${port}`, { cause });
      log.warn(`cannot listen on ${ip} port ${port}; going on without`);
    }
  }
  return port;
}

/** Says in plain lines what this server works with. */
function announce(
  config: Config,
  log: Logger,
  directory: string | undefined,
  regtest: string | undefined,
): void {
  log.info(`Network: ${config.network}`);
  log.info(
    directory === undefined ? `Wallet file: ${config.wallet.file ?? ''}` : `Wallet directory: ${directory}`,
  );
  if (regtest !== undefined) log.info(`Daemon: ${regtest}, a regtest node of our own`);
  else log.info(config.daemon.offline ? 'Daemon: none (offline)' : `Daemon: ${config.daemon.address}`);
  if (config.rpc.login === undefined)
    log.warn(
      'No login: whoever reaches this port may spend. Only this machine does unless you confirmed otherwise.',
    );
  if (config.rpc.restricted) log.info('Restricted mode: view-type methods only');
  for (const flag of config.withoutEffect) log.warn(`--${flag} is accepted and changes nothing here`);
}

function readTls(ssl: SslConfig): TlsOptions | undefined {
  const { mode, privateKeyPath, certificatePath, caFile, allowedFingerprints } = ssl;
  if (mode === 'disabled') return undefined;
  if (privateKeyPath === undefined || certificatePath === undefined) {
    if (mode === 'enabled')
      throw new ConfigError('--rpc-ssl enabled needs --rpc-ssl-private-key and --rpc-ssl-certificate');
    return undefined;
  }
  const read = (path: string): Buffer => {
    try {
      return readFileSync(path);
    } catch (cause) {
      throw new ConfigError(`--rpc-ssl-…: ${path} cannot be read`, { cause });
    }
  };
  return {
    key: read(privateKeyPath),
    cert: read(certificatePath),
    ...(caFile === undefined ? {} : { ca: read(caFile) }),
    allowedFingerprints,
    optional: mode === 'autodetect',
  };
}

/** The environment for programs that we start. */
const withoutSecrets = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const secrets = [
    'RPC_LOGIN',
    ...OPTIONS.filter(({ secret }) => secret).map(({ name }) => environmentName(name)),
  ];
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secrets.includes(name)));
};

/** Tells the log how a refresh goes on, and runs --tx-notify. */
function createEvents(txNotify: string | undefined, log: Logger) {
  let said = 0;
  return {
    onIncoming: (txHash: Uint8Array): void => {
      const txid = toHex(txHash);
      log.info({ txid }, 'incoming transaction');
      if (txNotify === undefined) return;
      const [command, ...args] = txNotify.split(/\s+/).filter((part) => part !== '');
      if (command === undefined) return;
      const child = spawn(
        command,
        args.map((part) => part.replaceAll('%s', txid)),
        { stdio: 'ignore', detached: true, env: withoutSecrets(process.env) },
      );
      child.on('error', (error) => log.error({ err: error }, '--tx-notify could not be run'));
      child.unref();
    },
    onProgress: (_name: string, height: number, daemonHeight: number): void => {
      const now = Date.now();
      if (height < daemonHeight && now - said < PROGRESS_MS) return;
      said = now;
      log.info({ height, of: daemonHeight }, 'wallet refreshed');
    },
  };
}
