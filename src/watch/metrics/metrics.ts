import { Counter, Gauge, Registry } from 'prom-client';
import type { DaemonCallReport } from '../../daemon/call-report.js';
import type { Page } from '../../http/pages/pages.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import type { DaemonFailover } from '../../services/failover/daemon-failover.js';
import type { WorkStatus } from '../../services/work/work-verification.js';
import { workSlices } from '../../util/event-loop.js';
import type { DaemonHealth } from '../daemon-health.js';
import { diskSpace, type StartProgress } from '../readiness.js';
import { readable, type WalletFactReader, type WalletFacts, type WatchedWallet } from '../wallet-facts.js';
import { CallMetrics, DaemonMetrics } from './call-metrics.js';
import { addClusterMetrics, type WatchedCluster, addFailoverMetrics } from './cluster-metrics.js';
import { addGauge, addProcessMetrics, type BuildInfo } from './gauges.js';
import { PayoutMeter } from './payout-meter.js';
import { RequestMeter } from './request-meter.js';
import { shopSeries, type MeteredShopFacts } from './shop-series.js';
import { payoutSeries, type MeteredPayouts } from './payout-series.js';
import { addWorkMetrics } from './work-metrics.js';
import { walletSeries } from './wallet-series.js';

/** An open wallet whose metrics are read. */
export type MeasuredWallet = WatchedWallet & {
  readonly balances: Pick<OpenWallet['balances'], 'ofAccounts'>;
};

export interface MetricsParts {
  readonly info: BuildInfo;
  readonly health: DaemonHealth;
  readonly failover: Pick<DaemonFailover, 'statuses' | 'switches'>;
  /** Checks of the daemons' proof of work; absent without `--verify-work`. */
  readonly work?: { readonly status: WorkStatus } | undefined;
  /** Cluster of this process; absent without a cluster. */
  readonly cluster?: WatchedCluster | undefined;
  readonly wallets: () => readonly MeasuredWallet[];
  readonly facts: Pick<WalletFactReader, 'read'>;
  readonly start: () => StartProgress;
  /** Wallet directory, whose free space is measured. */
  readonly directory: string;
  /** True: the metrics contain money. */
  readonly withBalances: boolean;
}

/**
 * Metrics of a server in the text format of Prometheus. Counters count from the start; all other values are read at a
 * scrape.
 */
export class Metrics {
  readonly calls: CallMetrics;
  readonly #parts: MetricsParts;
  readonly #registry = new Registry();
  readonly #payouts = new PayoutMeter();
  readonly #requests = new RequestMeter();
  readonly #daemon: DaemonMetrics;
  readonly #scanned: Counter;
  readonly #deepReorganisations: Counter;
  readonly #deepest: Gauge;
  readonly #open: Gauge;
  readonly #lastEvent: Gauge;
  readonly #newerVersion: Gauge;
  readonly #unreadableInPool: Gauge;
  /** Number of blocks that the deepest reorganisation above the limit replaced. */
  #deepestDepth = 0;
  /** Free space at the running scrape [bytes]; undefined if it cannot be read. */
  #free: number | undefined;
  /** The running scrape, whose result all clients receive that ask meanwhile. */
  #scrape: Promise<string> | undefined;

  constructor(parts: MetricsParts) {
    this.#parts = parts;
    const registry = this.#registry;
    const registers = [registry];
    this.calls = new CallMetrics(registry);
    this.#daemon = new DaemonMetrics(registry, parts.health);
    this.#scanned = new Counter({
      name: 'wallet_rpc_scanned_blocks_total',
      help: 'Blocks scanned, summed over wallets.',
      registers,
    });
    this.#deepReorganisations = new Counter({
      name: 'wallet_rpc_deep_reorganisations_total',
      help: 'Reorganisations of the chain that replaced more blocks than --reorganisation-alert allows.',
      registers,
    });
    this.#deepest = new Gauge({
      name: 'wallet_rpc_deepest_reorganisation_blocks',
      help: 'Number of blocks that the deepest of them replaced; 0 if there was none.',
      registers,
    });
    this.#open = new Gauge({ name: 'wallet_rpc_open_wallets', help: 'Open wallets.', registers });
    this.#lastEvent = new Gauge({
      name: 'wallet_rpc_last_event_id',
      help: 'Id of the latest event of the open wallets: a reader whose cursor is equal has no backlog.',
      registers,
    });
    this.#newerVersion = new Gauge({
      name: 'wallet_rpc_newer_block_version',
      help: 'Version of the block at which the wallets stop because it is newer than this server knows; 0 if there is none.',
      registers,
    });
    this.#unreadableInPool = new Gauge({
      name: 'wallet_rpc_unreadable_pool_transactions',
      help: 'Transactions in the pool that were left out because they cannot be read.',
      registers,
    });
    addUnopened(registry, parts.start);
    addFailoverMetrics(registry, parts.failover);
    addClusterMetrics(registry, parts.cluster);
    addWorkMetrics(registry, parts.work);
    addGauge(
      registry,
      'wallet_rpc_disk_free_bytes',
      'Free space on the file system of the wallets.',
      () => this.#free,
    );
    addProcessMetrics(registry, parts.info);
  }

  noteDaemonCall(report: DaemonCallReport): void {
    this.#daemon.note(report);
  }

  noteScanned(blocks: number): void {
    this.#scanned.inc(blocks);
  }

  /**
   * Notes a reorganisation above the limit. @param depth number of replaced blocks. @param isNew false: the
   * reorganisation was noted before with a lower depth.
   */
  noteDeepReorganisation(depth: number, isNew: boolean): void {
    if (isNew) this.#deepReorganisations.inc();
    this.#deepestDepth = Math.max(this.#deepestDepth, depth);
    this.#deepest.set(this.#deepestDepth);
  }

  /** Page `/metrics` for Prometheus. */
  readonly page: Page = {
    path: '/metrics',
    answer: async () => ({ status: 200, type: this.#registry.contentType, body: await this.text() }),
  };

  text(): Promise<string> {
    this.#scrape ??= this.#read().finally(() => (this.#scrape = undefined));
    return this.#scrape;
  }

  async #read(): Promise<string> {
    const { health, wallets, facts: reader, directory } = this.#parts;
    const [disk] = await Promise.all([diskSpace(directory), health.check()]);
    const latest = health.info?.height;
    const open = wallets();
    const facts = await workSlices.map(open, (wallet) => reader.read(wallet, latest));
    this.#open.set(facts.length);
    const most = (value: (wallet: WalletFacts) => number): number =>
      facts.reduce((highest, wallet) => Math.max(highest, value(wallet)), 0);
    this.#lastEvent.set(most(({ lastEvent }) => lastEvent));
    this.#newerVersion.set(most(({ newerBlock }) => newerBlock?.version ?? 0));
    this.#unreadableInPool.set(most(({ unreadableInPool }) => unreadableInPool));
    this.#free = disk?.free;
    const money = await this.#money(open);
    const shops = await shopSeries(await this.#meteredShops(open, facts, money));
    const payouts = await payoutSeries(await this.#meteredPayouts(open, facts, money));
    return `${await this.#registry.metrics()}\n${await walletSeries(facts)}${shops}${payouts}`;
  }

  /** Reads the money of wallets by account, in their order; each undefined without `--metrics-balances`. */
  #money(wallets: readonly MeasuredWallet[]): Promise<MeteredShopFacts['money'][]> {
    const { withBalances } = this.#parts;
    return workSlices.map(wallets, ({ balances }) =>
      withBalances ? readable(() => balances.ofAccounts(false)) : undefined,
    );
  }

  /** Reads the changes of the requests of wallets that have some, and begins the counters of the others. */
  async #meteredShops(
    wallets: readonly MeasuredWallet[],
    facts: readonly WalletFacts[],
    money: readonly MeteredShopFacts['money'][],
  ): Promise<MeteredShopFacts[]> {
    await workSlices.map(wallets, (wallet) => this.#requests.begin(wallet));
    const metered: MeteredShopFacts[] = [];
    for (const [i, wallet] of wallets.entries()) {
      const known = facts[i];
      if (known === undefined) continue;
      const tally = known.requests.size === 0 ? undefined : await this.#requests.read(wallet);
      metered.push({ facts: known, tally, money: money[i] });
    }
    return metered;
  }

  /** Reads the payouts of the wallets that have some, and begins the counters of the others. */
  async #meteredPayouts(
    wallets: readonly MeasuredWallet[],
    facts: readonly WalletFacts[],
    money: readonly MeteredShopFacts['money'][],
  ): Promise<MeteredPayouts[]> {
    await workSlices.map(wallets, (wallet) => this.#payouts.begin(wallet));
    const metered: MeteredPayouts[] = [];
    for (const [i, wallet] of wallets.entries()) {
      const known = facts[i];
      if (known === undefined || known.payouts.counts.size === 0) continue;
      const tally = await this.#payouts.read(wallet);
      metered.push({ facts: known, tally, money: money[i] });
    }
    return metered;
  }
}

/**
 * Adds a gauge with one series for each wallet of `--open` that could not be opened; without a series if all wallets
 * are open.
 */
function addUnopened(registry: Registry, start: () => StartProgress): void {
  new Gauge({
    name: 'wallet_rpc_wallet_unopened',
    help: '1 for a wallet of --open that could not be opened; absent once it is open.',
    labelNames: ['wallet', 'cause'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name: wallet, cause } of start().unopened) this.set({ wallet, cause }, 1);
    },
  });
}
