import type { Logger } from 'pino';
import type { ObserveDaemons } from '../daemon/call-report.js';
import type { Call } from '../http/calls/dispatcher.js';
import { HttpServer } from '../http/server/http-server.js';
import type { Listener } from '../http/server/listener.js';
import { createPageApp, PAGE_HEADERS, type FormTarget, type Page } from '../http/pages/pages.js';
import { registry } from '../rpc/registry.js';
import type { WalletEvents } from '../services/context/wallet-context.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import { systemClock } from '../util/clock.js';
import { Listeners } from '../util/listeners.js';
import { readOwnPackage } from '../util/own-package.js';
import { mayUseOwnPage, pageRights } from '../rpc/page-rights.js';
import { systemRng } from '../util/random.js';
import { DaemonHealth } from '../watch/daemon-health.js';
import { ForkReminder } from '../watch/fork-reminder.js';
import { DaySumReader, WalletFactReader } from '../watch/wallet-facts.js';
import { healthPages, Readiness, type StartProgress } from '../watch/readiness.js';
import { Metrics } from '../watch/metrics/metrics.js';
import { Receiving } from '../watch/status/receiving.js';
import { statusPages } from '../watch/status/status-pages.js';
import { readStatus, RecentEventReader } from '../watch/status/status-view.js';
import { DeskPages } from '../watch/desk/desk-pages.js';
import { FormTokens } from '../watch/desk/form-tokens.js';
import { SyncProgress } from '../watch/sync-progress.js';
import type { Config } from './config/config.js';
import { homeOf } from './config/wallet-options.js';

/** Pages and measurements with which operators watch the server. */
export interface Watch {
  /** Pages that need no login. */
  readonly openPages: readonly Page[];
  /** Pages that need a login. */
  readonly pages: readonly Page[];
  readonly forms: readonly FormTarget[];
  /** Call function of the server, with measured calls. */
  readonly call: Call;
  readonly onStatus: (status: number) => void;
  /** Serves `/metrics` without a login. */
  serveMetrics(listener: Listener): void;
  close(): Promise<void>;
}

export interface WatchParts {
  readonly config: Config;
  readonly server: WalletManager;
  /** Call function of the server, without measurements. */
  readonly call: Call;
  readonly listeners: WatchListeners;
  /** Returns the progress of opening the wallets of the start. */
  readonly start: () => StartProgress;
  readonly onBug: (error: unknown, method?: string) => void;
  readonly log: Logger;
}

/**
 * Largest number of connections to the port of the metrics, and of one network, so that connections are left for other
 * uses.
 */
const MAX_CONNECTIONS = 20;
const MAX_PER_PRIVATE_IP = 10;
const MAX_PER_PUBLIC_IP = 5;

/**
 * News of a {@link WalletManager} for the watch pages. The listeners are created before the manager, and the pages
 * after it.
 */
export class WatchListeners {
  readonly sync = new SyncProgress();
  readonly daemonCalls = new Listeners<Parameters<ObserveDaemons>>();
  readonly progress = new Listeners<Parameters<WalletEvents['onProgress']>>();
  /** Called with each reorganisation above the limit, and again with `isNew` false when it turns out to be deeper. */
  readonly deepReorganisations = new Listeners<[depth: number, isNew: boolean]>();

  constructor() {
    this.progress.add((...news) => this.sync.note(...news));
  }
}

const notServed = (path: string): Page => ({
  path,
  answer: () => ({
    ...{ status: 403, type: 'text/plain; charset=utf-8' },
    body: 'Not served here with --restricted-rpc. /metrics: see --metrics-bind.\n',
  }),
});

/** Creates the pages and the measured call function of a server. */
export function createWatch({
  config,
  server,
  call: plainCall,
  listeners,
  start,
  onBug,
  log,
}: WatchParts): Watch {
  const { wallet, watch, rpc } = config;
  const directory = homeOf(wallet);
  const wallets = () => server.openWallets();
  const health = new DaemonHealth(server);
  const reminder = new ForkReminder({ daemon: server, log, clock: systemClock });
  reminder.start();
  const facts = new WalletFactReader();
  const build = {
    ...{ version: readOwnPackage().version, node: process.version },
    ...{ network: config.network, api: rpc.apiVersion },
  };
  const metrics = new Metrics({
    ...{ health, wallets, facts, start, directory, failover: server.failover },
    ...{ cluster: server.settings.cluster, work: server.work, withBalances: watch.metricsBalances },
    info: build,
  });
  listeners.daemonCalls.add((report, daemon) => {
    health.note(report, daemon);
    metrics.noteDaemonCall(report);
  });
  listeners.progress.add((_name, _height, _daemonHeight, scanned) => metrics.noteScanned(scanned));
  listeners.deepReorganisations.add((depth, isNew) => metrics.noteDeepReorganisation(depth, isNew));
  const readiness = new Readiness({
    ...{ limits: watch.ready, health, wallets, start, directory },
    quorum: server.settings.cluster?.quorum,
  });
  const openPages = healthPages(readiness, server.failover);
  const call = metrics.calls.measured(plainCall, (method) => registry.find(method)?.name, onBug);
  const parts = {
    ...{ server, health, readiness, facts, start, build, directory, sync: listeners.sync },
    ...{ daySums: new DaySumReader(systemClock), recent: new RecentEventReader(), clock: systemClock },
  };
  const access = {
    rightsOf: pageRights,
    mayUse: (caller: Parameters<typeof pageRights>[0]) => mayUseOwnPage(caller, 'get_transfers'),
    tokens: new FormTokens(systemRng, systemClock),
  };
  const status = statusPages({
    ...access,
    read: (rights, query) => readStatus(parts, rights, query),
    receiving: new Receiving(server, call),
  });
  const desk = new DeskPages({ ...access, server, call });
  const ownPages = [
    ...(watch.metrics === undefined ? [metrics.page] : []),
    ...[...status.pages, ...desk.pages],
  ];
  let metricsServer: HttpServer | undefined;
  return {
    openPages,
    pages: rpc.restricted ? ['/metrics', '/status'].map(notServed) : ownPages,
    forms: rpc.restricted ? [] : [...status.forms, desk.form],
    call,
    onStatus: (status) => metrics.calls.noteStatus(status),
    serveMetrics(listener) {
      metricsServer = new HttpServer({
        handler: createPageApp([metrics.page, ...openPages], rpc.hosts, onBug),
        ...{ maxConnections: MAX_CONNECTIONS, maxPerPrivateIp: MAX_PER_PRIVATE_IP },
        maxPerPublicIp: MAX_PER_PUBLIC_IP,
        errorHeaders: PAGE_HEADERS,
      });
      metricsServer.serve(listener);
    },
    async close() {
      reminder.close();
      await metricsServer?.close(0);
    },
  };
}
