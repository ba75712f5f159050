import { dirname, resolve } from 'node:path';
import type { ObserveDaemonCall } from '../daemon/call-report.js';
import type { Page } from '../jsonrpc/pages.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import { DaemonHealth } from '../watch/daemon-health.js';
import { healthPages } from '../watch/health-pages.js';
import { Readiness, type StartProgress } from '../watch/readiness.js';
import type { Config } from './config.js';

/** Parts of the server that operators watch it by. */
export interface Watch {
  /** Pages without login. */
  readonly openPages: readonly Page[];
}

/** Listeners that must exist before the {@link WalletManager}, which {@link createWatch} needs. */
export class WatchListeners {
  #health: DaemonHealth | undefined;

  readonly onDaemonCall: ObserveDaemonCall = (report) => this.#health?.note(report);

  follow(health: DaemonHealth): void {
    this.#health = health;
  }
}

/** Creates the pages. @param start progress of the opening of wallets. */
export function createWatch(
  { watch, wallet }: Pick<Config, 'watch' | 'wallet'>,
  server: WalletManager,
  listeners: WatchListeners,
  start: () => StartProgress,
): Watch {
  const health = new DaemonHealth(server);
  listeners.follow(health);
  const readiness = new Readiness({
    limits: watch.ready,
    health,
    wallets: () => server.openWallets(),
    start,
    directory: resolve(wallet.dir ?? dirname(wallet.file ?? '.')),
  });
  return { openPages: healthPages(readiness) };
}
