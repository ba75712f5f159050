import { NO_PAYOUT_RULES } from '../../../src/model/payout-rule.js';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { accountKeysOf, type AccountKeys } from '../../../src/monero/cryptonote/account-keys.js';
import { randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import type { Daemon } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { NEWEST_FORK } from '../../../src/monero/cryptonote/constants.js';
import type { Refresher } from '../../../src/refresh/refresher.js';
import type { DaemonClient } from '../../../src/services/context/daemon-list.js';
import { DaemonConnection } from '../../../src/services/context/daemon-connection.js';
import { OpenAlias } from '../../../src/services/context/openalias.js';
import { WalletDirectory, type WalletPaths } from '../../../src/services/context/wallet-directory.js';
import { OpenWallets } from '../../../src/services/manager/open-wallets.js';
import { RefreshScheduler } from '../../../src/services/manager/refresh-scheduler.js';
import type { ServerSettings } from '../../../src/services/manager/server-settings.js';
import { WalletOpener, type NewWallet } from '../../../src/services/manager/wallet-opener.js';
import { requireLanguage } from '../../../src/services/manager/wallet-restore.js';
import { ownEvents } from '../../../src/store/wallet-writer.js';
import { WebhookSending } from '../../../src/services/webhooks/webhook-sending.js';
import type { WorkerPools } from '../../../src/services/workers/worker-pools.js';
import { toHex } from '../../../src/util/bytes.js';
import { ZERO } from '../../../src/util/amount.js';
import { PendingRequests } from '../../../src/util/pending-requests.js';
import { systemRng } from '../../../src/util/random.js';
import { inlineWorkers } from '../fakes/inline-workers.js';

const NO_SSL = {
  mode: 'disabled' as const,
  ...{ allowedFingerprints: [], allowChained: false, allowAnyCert: false },
};

const english = requireLanguage('English');

/** Refresh threads that read no chain; their calls are recorded. */
export class FakeRefresher {
  readonly calls: string[] = [];
  #count = 0;
  /** Answer of every lookahead. */
  lookingAhead: () => Promise<void> = () => Promise.resolve();

  attach(): number {
    this.#count += 1;
    this.calls.push(`attach ${this.#count}`);
    return this.#count;
  }

  detach(wallet: number): void {
    this.calls.push(`detach ${wallet}`);
  }

  lookAhead(wallet: number): Promise<void> {
    this.calls.push(`lookAhead ${wallet}`);
    return this.lookingAhead();
  }

  expand(wallet: number): void {
    this.calls.push(`expand ${wallet}`);
  }

  cancel(): void {
    this.calls.push('cancel');
  }

  restart(): void {
    this.calls.push('restart');
  }

  start(): void {
    this.calls.push('start');
  }

  prefetch(startHeight: number, viewSecret?: SecretKey): void {
    this.calls.push(`prefetch ${startHeight}${viewSecret === undefined ? '' : ` with ${toHex(viewSecret)}`}`);
  }

  setDaemon(): void {
    this.calls.push('setDaemon');
  }

  close(): Promise<void> {
    this.calls.push('close');
    return Promise.resolve();
  }
}

/** Parts of a server with a wallet directory of its own: real files, locks and stores, and no chain. */
export class WalletServer {
  readonly path = mkdtempSync(join(tmpdir(), 'server-'));
  readonly directory = new WalletDirectory(this.path);
  readonly refresher = new FakeRefresher();
  /** Names of closed wallets, in their order. */
  readonly closed: string[] = [];
  /** Every line of the log. */
  readonly lines: Record<string, unknown>[] = [];
  /** Signals that end the calls of wallets to the daemon, in the order of the calls. */
  readonly signals: AbortSignal[] = [];
  /** Calls that the daemon answers. */
  answers: Partial<Daemon> = {};
  readonly settings: ServerSettings;
  readonly daemon: DaemonConnection;
  readonly scheduler: RefreshScheduler;
  readonly wallets: OpenWallets;
  readonly opener: WalletOpener;
  readonly webhookSending: WebhookSending;

  /** @param address of the daemon; undefined: offline. */
  constructor(changes: Partial<ServerSettings> = {}, address?: string) {
    const write = (line: string): void => void this.lines.push(JSON.parse(line) as Record<string, unknown>);
    this.settings = {
      network: 'mainnet',
      directory: this.directory,
      ...{ kdfRounds: 1, exportFormat: 'current', restricted: false, threads: 1, daemons: [] },
      ...{
        anyFork: false,
        newestFork: NEWEST_FORK,
        wholeBlocks: false,
        rng: systemRng,
        pendingRequests: new PendingRequests(),
        openAlias: new OpenAlias(),
      },
      events: {
        onIncoming: () => undefined,
        onProgress: () => undefined,
        onClosed: (name) => void this.closed.push(name),
      },
      eventSettings: ownEvents(),
      eventRetentionMs: 90 * 86_400_000,
      payoutSettings: {
        interval: 0,
        patience: 1800,
        outputs: 0,
        signingTime: 86_400,
        rules: NO_PAYOUT_RULES,
      },
      requestSettings: { scale: [{ from: ZERO, confirmations: 1 }] },
      webhooks: { allowPrivate: true, userAgent: 'wallet-rpc/test' },
      log: pino({ level: 'info', base: null }, { write }),
      logCategories: '*:INFO',
      stop: () => undefined,
      ...changes,
    };
    const refresher = this.refresher as unknown as Refresher;
    const client: DaemonClient = {
      getInfo: (options) =>
        this.answers.getInfo?.(options) ?? Promise.reject(new DaemonError('unreachable', 'no connection')),
      getLastBlockHeader: (options) =>
        this.answers.getLastBlockHeader?.(options) ??
        Promise.reject(new DaemonError('unreachable', 'no connection')),
      getBlockHeader: (height, options) =>
        this.answers.getBlockHeader?.(height, options) ??
        Promise.reject(new DaemonError('unreachable', 'no connection')),
      until: (signal) => {
        this.signals.push(signal);
        return client;
      },
      close: () => undefined,
    } as Partial<DaemonClient> as DaemonClient;
    this.daemon = new DaemonConnection({
      ...{ connect: () => client, refresher },
      daemons: address === undefined ? [] : [{ config: { address, ssl: NO_SSL }, trusted: true }],
    });
    this.scheduler = new RefreshScheduler(this.settings.log);
    this.webhookSending = new WebhookSending(this.settings.webhooks, this.settings.log);
    this.opener = new WalletOpener(this.settings, {
      ...{ daemon: this.daemon, refresher, workers: inlineWorkers() as WorkerPools },
      webhookSending: this.webhookSending,
      rekey: (wallet, change) => this.wallets.rekey(wallet, change),
    });
    this.wallets = new OpenWallets(this.settings.log, this.scheduler, () => this.opener);
  }

  paths(name: string): WalletPaths {
    return this.directory.locate(name);
  }

  /** A wallet of random keys that does not exist yet. @param name undefined: in memory. */
  newWallet(name: string | undefined, changes: Partial<NewWallet> = {}): NewWallet {
    return {
      paths: name === undefined ? undefined : this.paths(name),
      ...{ keys: randomKeys(), language: english, password: 'p', restoreHeight: 7 },
      ...changes,
    };
  }

  /** Names of the files in the directory, in ascending order. */
  files(): string[] {
    return readdirSync(this.path).sort();
  }

  async close(): Promise<void> {
    this.scheduler.stop();
    await this.wallets.close();
    rmSync(this.path, { recursive: true, force: true });
  }
}

export const randomKeys = (): AccountKeys => accountKeysOf(randomSecretKey(systemRng));
