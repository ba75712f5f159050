import { getServers } from 'node:dns';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { Dispatcher } from '../http/calls/dispatcher.js';
import { createHttpApp } from '../http/http-app.js';
import { HttpServer } from '../http/server/http-server.js';
import { LoginDeadline } from '../http/server/connection-limits.js';
import { keepRecentKeys } from '../monero/crypto/kdf.js';
import { startSlowHash } from '../monero/crypto/slow-hash-worker.js';
import { parseNameserver, Resolver } from '../net/dns/resolver.js';
import { audited, auditedAdmission, forwardingRecords } from '../rpc/calls/audit.js';
import { eventEndpoints } from '../rpc/event-endpoints.js';
import { mayUsePage } from '../rpc/access/permission.js';
import { admission } from '../rpc/calls/admission.js';
import { registry } from '../rpc/registry.js';
import { createCall } from '../rpc/service.js';
import { EVENT_IDS_FILE, WalletDirectory, locateFile } from '../services/context/wallet-directory.js';
import type { ListedDaemon } from '../services/context/daemon-list.js';
import { OpenAlias } from '../services/context/openalias.js';
import type { WalletEvents } from '../services/context/wallet-context.js';
import { START } from '../services/manager/openings.js';
import { WalletManager } from '../services/manager/wallet-manager.js';
import { EventIds } from '../store/file/event-ids.js';
import { PendingRequests } from '../util/pending-requests.js';
import { collectWhenIdle } from '../util/v8-heap.js';
import { systemRng } from '../util/random.js';
import { announce, announceArithmetic, announceEngine } from './output/announce.js';
import { CredentialPayoutRules } from '../rpc/access/credentials.js';
import { createClients } from './clients.js';
import { withoutCompileCache } from './process/compile-cache.js';
import type { Config } from './config/config.js';
import { DaemonNews, ReorganisationAlert } from './output/daemon-news.js';
import { ConfigError } from './config/config-values.js';
import { homeOf } from './config/wallet-options.js';
import { environmentName, OPTIONS } from './config/options.js';
import { IncomingLog } from './output/incoming-log.js';
import { ProgressLine, ProgressLog } from './output/progress.js';
import type { StatusLine } from './output/log.js';
import type { Credentials, Prepared } from './config/prepare.js';
import { Opening, readPassword } from './opening.js';
import { startRegtestProcess } from './regtest/regtest-process.js';
import { checkDaemonTls, readTls, renewTls } from './config/tls-files.js';
import { TxNotifier } from './tx-notifier.js';
import type { StartProgress } from '../watch/readiness.js';
import { createPay, PayListeners, payUrlOf } from './pay.js';
import { cannotOpen, reasonIn } from './config/wallet-file.js';
import { createWatch, WatchListeners } from './watch.js';

/** A started wallet server. */
export interface RunningServer {
  readonly port: number;
  /**
   * Reads credentials, certificates and the file of the merchant again, opens the audit log again, and tries to open the
   * wallets of --open again.
   */
  reload(): void;
  close(): Promise<void>;
}

/** HTTP path of one wallet, whose name is percent-encoded. */
const WALLET_PATH = '/wallet/:target/json_rpc';

const GRACE_MS = 5_000;
/** Time that pending requests have to complete before their calls to the daemon are aborted [ms]. */
const DAEMON_GRACE_MS = 2_000;
/** Time that waiting --tx-notify commands have to start when the server stops [ms]. */
const NOTIFY_MS = 2_000;

const TOO_MANY = {
  address:
    'connection closed: its address, or its /64, has as many as --rpc-max-connections-per-private-ip or -public-ip allows',
  all: 'connection closed: there are as many as --rpc-max-connections allows',
};

/**
 * Creates all parts of the server, and makes it listen (the composition root).
 * @param line last line of a terminal, which shows the progress. @throws ConfigError
 */
export async function startServer(
  config: Config,
  { login, daemonLogin, walletPassword, listeners, metricsListener, payListener }: Prepared,
  log: Logger,
  stop: () => void,
  line?: StatusLine,
): Promise<RunningServer> {
  // The server keeps no recent keys if it has credentials, which may allow some wallets only.
  keepRecentKeys(config.rpc.credentials === undefined);
  // Opening a wallet begins with the slow hash.
  if (config.wallet.file !== undefined || config.wallet.open.length > 0) startSlowHash();
  if (!config.daemon.offline) checkDaemonTls(config.daemon.ssl);
  const regtest = config.regtest && (await startRegtestProcess(config, log));
  const daemons = config.daemon.offline ? [] : listedDaemons(config, daemonLogin, regtest?.address);
  const work = config.daemon.work && (await import('./config/work-settings.js')).verificationOf(config);
  const tls = readTls(config.rpc.ssl, log);
  const directory = config.wallet.dir === undefined ? undefined : openDirectory(config.wallet.dir);
  const pendingRequests = new PendingRequests();
  const notifier = createNotifier(config.wallet, log);
  const membership =
    config.cluster && (await (await import('./cluster.js')).joinCluster(config.cluster, config.wallet, log));
  const listening = new WatchListeners();
  const paying = new PayListeners();
  const payoutRules = new CredentialPayoutRules();
  const server = new WalletManager({
    pendingRequests,
    network: config.network,
    ...(directory === undefined ? {} : { directory }),
    ...(config.wallet.backupDir === undefined ? {} : { backupDirectory: config.wallet.backupDir }),
    kdfRounds: config.wallet.kdfRounds,
    exportFormat: config.wallet.exportFormat,
    refreshPeriod: config.wallet.refreshPeriod,
    restricted: config.rpc.restricted,
    threads: config.threads,
    daemons,
    wholeBlocks: config.daemon.wholeBlocks,
    ...(work === undefined ? {} : { work }),
    ...(config.daemon.quorum === undefined ? {} : { daemonQuorum: config.daemon.quorum }),
    // Trust that the flags give to the first daemon, which an offline server never calls. Same as in the reference.
    trustedOffline: config.daemon.addresses[0]?.trusted ?? false,
    onDaemonCall: listening.daemonCalls.notify,
    anyFork: config.daemon.allowMismatchedVersion,
    newestFork: config.fork.newest,
    rng: systemRng,
    openAlias: createOpenAlias(config),
    // On a terminal, a line that changes in place shows the progress of a refresh; a log file needs lines.
    events: createEvents(
      { watch: listening, pay: paying },
      new ProgressLog(log, { tipOnly: line !== undefined && config.log.file === undefined }),
      new IncomingLog(log),
      new ReorganisationAlert(log, {
        limit: config.watch.reorganisationAlert,
        onDeep: listening.deepReorganisations.notify,
      }),
    ),
    ...(notifier === undefined ? {} : { noticeRunner: notifier }),
    eventSettings: {
      ids: createEventIds(config),
      confirmations: config.wallet.confirmations,
      payoutConfirmations: config.payouts.confirmations,
    },
    eventRetentionMs: config.wallet.eventRetentionMs,
    payoutSettings: { ...config.payouts, rules: payoutRules },
    requestSettings: {
      scale: config.wallet.confirmationScale,
      ...(config.pay === undefined || payListener === undefined
        ? {}
        : { payUrl: payUrlOf(config.pay, payListener.port) }),
    },
    webhooks: {
      allowPrivate: config.webhooks.allowPrivate,
      history: config.wallet.notifyHistory ?? false,
      userAgent: 'wallet-rpc',
      ...(config.daemon.proxy === undefined ? {} : { proxy: config.daemon.proxy }),
    },
    ...(membership === undefined ? {} : { cluster: membership.node }),
    log,
    logCategories: config.log.categories,
    // Waits until the answer to the request is sent.
    stop: () => setTimeout(stop, 100),
  });
  const clients = createClients(config.rpc, login, log, payoutRules);
  announce(config, log, directory?.path, regtest?.address);
  announceEngine(log);
  const onBug = (error: unknown, method?: string): void =>
    log.error({ err: error, method }, 'bug: unexpected error');
  const call = createCall(server, config.rpc.apiVersion, log);
  const opening = new Opening({
    ...{ server, log, directory: directory?.path },
    ...{ open: config.wallet.open, passwordDir: config.wallet.passwordDir },
  });
  const start = (): StartProgress => opening.progress();
  const progressLine = line && new ProgressLine({ line, sync: listening.sync, start });
  const watch = createWatch({
    ...{ config, server, listeners: listening, onBug, log },
    call: clients.audit === undefined ? call : audited(call, server, clients.audit, onBug),
    start,
  });
  const noteStarted = server.openings.begin(START);
  const admit = admission(server);
  const dispatcher = new Dispatcher({
    call: watch.call,
    onBug: (method, error) => onBug(error, method),
    sizeOf: (method) => registry.find(method)?.requestSize ?? 'ordinary',
    admit: clients.audit === undefined ? admit : auditedAdmission(admit, clients.audit),
    errorDetails: config.rpc.errorDetails,
  });
  const loginDeadline = new LoginDeadline();
  const access = clients.auth === undefined ? {} : { auth: clients.auth, loginDeadline };
  const forwarding = membership?.forwarding({
    logins: clients.known,
    onMember: (socket) => {
      http.exempt(socket);
      loginDeadline.lift(socket);
    },
    onBug,
    ...(clients.audit === undefined ? {} : { records: forwardingRecords(server, clients.audit, onBug) }),
  });
  const http: HttpServer = new HttpServer({
    handler: createHttpApp({
      dispatcher,
      targetPath: WALLET_PATH,
      streams: eventEndpoints(server, clients.audit),
      openPages: watch.openPages,
      pages: watch.pages,
      forms: watch.forms,
      mayRead: (caller) => mayUsePage(caller, { name: 'get_transfers', family: 'view' }),
      maySubmit: (caller) => mayUsePage(caller, { name: 'create_address', family: 'receive' }),
      onStatus: watch.onStatus,
      ...access,
      origins: config.rpc.origins,
      hosts: config.rpc.hosts,
      onBug,
      pendingRequests,
      ...(forwarding === undefined ? {} : { forwarding }),
    }),
    ...access,
    ...(membership === undefined ? {} : { continuesItself: membership.continuesItself }),
    ...(tls === undefined ? {} : { tls }),
    onTooMany: (refused) => log.warn({ ...refused }, TOO_MANY[refused.of]),
    onBug,
    maxConnections: config.rpc.maxConnections,
    maxPerPrivateIp: config.rpc.maxConnectionsPerPrivateIp,
    maxPerPublicIp: config.rpc.maxConnectionsPerPublicIp,
  });
  const pay = payListener && createPay({ config, server, listeners: paying, log, onBug });
  for (const listener of listeners) http.serve(listener);
  if (metricsListener !== undefined) watch.serveMetrics(metricsListener);
  if (payListener !== undefined) pay?.serve(payListener);
  if (config.wallet.file !== undefined) await openInitialWallet(config.wallet.file, walletPassword, server);
  log.info('Starting wallet RPC server');
  server.start();
  server.joinCluster((name) => readPassword(config.wallet.passwordDir, name));
  announceArithmetic(log);
  opening.start();
  noteStarted(true);
  const news =
    daemons.length === 0 || config.daemon.zmq === undefined
      ? undefined
      : new DaemonNews({ ...config.daemon.zmq, log, onNews: () => server.refreshNow() });
  news?.open();
  // A collection of garbage delays requests, so it waits until no request runs.
  collectWhenIdle('regular', 5, () => server.shrinkMemory());
  return {
    port: listeners.at(-1)?.port ?? config.rpc.port,
    reload() {
      clients.reload();
      renewTls(http, config.rpc.ssl, log);
      pay?.reload();
      opening.retry();
    },
    async close() {
      const opened = opening.close();
      await server.leaveCluster();
      const grace = setTimeout(() => server.endDaemonCalls(), DAEMON_GRACE_MS);
      server.events.close();
      await http.close(GRACE_MS);
      clearTimeout(grace);
      await pay?.close();
      await watch.close();
      progressLine?.close();
      news?.close();
      clients.close();
      await opened;
      server.endDaemonCalls();
      await notifier?.close(NOTIFY_MS);
      await server.close();
      membership?.close();
      await regtest?.close();
    },
  };
}

/**
 * Lists the daemons in the order of preference. @param regtest address of the regtest node that this server started, if
 * any.
 */
function listedDaemons({ daemon }: Config, login?: Credentials, regtest?: string): ListedDaemon[] {
  return daemon.addresses.map(({ address, trusted }) => ({
    config: {
      address: regtest ?? address,
      ...(login === undefined ? {} : { login }),
      ssl: daemon.ssl,
      ...(daemon.proxy === undefined ? {} : { proxy: daemon.proxy }),
    },
    trusted,
  }));
}

function createOpenAlias({ dns }: Config): OpenAlias {
  if (!dns.enabled) return new OpenAlias();
  const servers = dns.servers.length > 0 ? dns.servers : getServers().map(parseNameserver);
  return new OpenAlias(new Resolver({ servers, rng: systemRng }));
}

/** Creates the source of event ids, with its file in the wallet directory. @throws ConfigError */
function createEventIds({ wallet }: Config): EventIds {
  const path = join(homeOf(wallet), EVENT_IDS_FILE);
  try {
    return new EventIds({ path });
  } catch (cause) {
    throw new ConfigError(`${path} cannot be read${reasonIn(cause)}`, { cause });
  }
}

function openDirectory(path: string): WalletDirectory {
  try {
    return new WalletDirectory(path);
  } catch (cause) {
    throw new ConfigError(`--wallet-dir: ${path} cannot be used${reasonIn(cause)}`, { cause });
  }
}

async function openInitialWallet(file: string, password: string, server: WalletManager): Promise<void> {
  try {
    await server.openPaths(locateFile(file), password, 'current');
  } catch (cause) {
    throw cannotOpen(file, cause);
  }
}

/** Returns an environment for child processes, without settings that are secrets. */
const withoutSecrets = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const secrets = [
    'RPC_LOGIN',
    ...OPTIONS.filter(({ secret }) => secret).map(({ name }) => environmentName(name)),
  ];
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secrets.includes(name)));
};

const createNotifier = (
  { txNotify: command, notifyHistory: history = false }: Config['wallet'],
  log: Logger,
): TxNotifier | undefined =>
  command === undefined
    ? undefined
    : new TxNotifier({ command, env: withoutCompileCache(withoutSecrets(process.env)), log, history });

/** Creates the listeners that log incoming transactions and the progress of refreshes. */
function createEvents(
  { watch, pay }: { readonly watch: WatchListeners; readonly pay: PayListeners },
  progress: ProgressLog,
  incoming: IncomingLog,
  reorganisations: ReorganisationAlert,
): WalletEvents {
  return {
    onReorganised: (name, blocks) => reorganisations.note(name, blocks),
    onIncoming: (name, txHashes) => incoming.note(name, txHashes),
    onProgress(name, height, daemonHeight, scanned) {
      progress.progress(name, height, daemonHeight);
      watch.progress.notify(name, height, daemonHeight, scanned);
      pay.blocks.notify(name);
    },
    onClosed(name) {
      incoming.flush();
      progress.forget(name);
      watch.sync.forget(name);
    },
    onEvents: pay.events.notify,
    onRequest: pay.requests.notify,
  };
}
