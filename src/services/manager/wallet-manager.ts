import { DAEMON_RPC_PORT, GENESIS_HASH } from '../../monero/cryptonote/constants.js';
import type { ObserveDaemons } from '../../daemon/call-report.js';
import type { DaemonInfo, Daemon, ScheduledFork } from '../../daemon/daemon.js';
import { assertTlsFiles, lacksVerification, parseEndpoint } from '../../daemon/connector.js';
import { DaemonError } from '../../daemon/errors.js';
import { HttpDaemon, type DaemonConfig } from '../../daemon/http-daemon.js';
import { Refresher } from '../../refresh/refresher.js';
import { uniformInt } from '../../util/random.js';
import { systemClock, type TimeOfDay } from '../../util/clock.js';
import { Listeners } from '../../util/listeners.js';
import { WalletError } from '../../model/wallet-error.js';
import { type ChainTip, heightOfDatedWallet, readTip, type TipSource } from '../context/chain-tip.js';
import { DaemonConnection } from '../context/daemon-connection.js';
import type { ListedDaemon } from '../context/daemon-list.js';
import type { WalletPaths } from '../context/wallet-directory.js';
import { BlockQuorum } from '../failover/block-quorum.js';
import { RingWitness } from '../failover/ring-witness.js';
import { DaemonFailover } from '../failover/daemon-failover.js';
import { NodeIdentities } from '../failover/node-identities.js';
import { heldBlocks } from '../failover/chain-check.js';
import { WebhookSending } from '../webhooks/webhook-sending.js';
import type { WorkParts, WorkVerification } from '../work/work-verification.js';
import { WorkerPools } from '../workers/worker-pools.js';
import type { OpenWallet } from '../open-wallet.js';
import { EventFeed } from './event-feed.js';
import { LogControl } from './log-control.js';
import { OpenWallets, type Holder } from './open-wallets.js';
import type { Openings } from './openings.js';
import { DEFAULT_PERIOD_SECONDS, RefreshScheduler } from './refresh-scheduler.js';
import type { ServerSettings } from './server-settings.js';
import { listWallets, withClusterWallets, type ListedWallet } from './wallet-list.js';
import { WalletOpener } from './wallet-opener.js';
import { WalletScope, type ScopeResources, type WalletAccess } from './wallet-scope.js';
import { KeyedMutex } from '../../util/concurrency.js';
import { resolve } from 'node:path';
import type { Backup } from '../../store/backup/backup.js';

/**
 * Messages of the reference for a daemon that TLS does not authenticate: of release 0.18, and for a proxy of the
 * present master branch. Source: wallet_rpc_server.cpp `on_set_daemon`.
 */
const NO_VERIFICATION = {
  tls: 'SSL is enabled but no user certificate or fingerprints were provided',
  proxy:
    'SSL or proxy is enabled but no strong verification was configured; set ssl_allow_any_cert, ssl_ca_file, or ssl_allowed_fingerprints, or use a .onion or .i2p address',
} as const;

/** Wallets of one server process, with the daemon connection, the threads and the log that they share. */
export class WalletManager {
  readonly settings: ServerSettings;
  readonly logControl: LogControl;
  readonly events: EventFeed;
  readonly backups: Backups;
  /** Chooses which of the listed daemons serves. */
  readonly failover: DaemonFailover;
  /** Checks of the daemons' proof of work; undefined without `--verify-work`. */
  readonly work: WorkVerification | undefined;
  readonly #daemon: DaemonConnection;
  readonly #workers = new WorkerPools();
  readonly #webhookSending: WebhookSending;
  readonly #scheduler: RefreshScheduler;
  readonly #wallets: OpenWallets;
  readonly #resources: ScopeResources;
  readonly #current: WalletScope;

  constructor(settings: ServerSettings) {
    this.settings = settings;
    const { ids } = settings.eventSettings;
    this.events = new EventFeed((id) => ids.mayExist(id));
    this.backups = new Backups(settings.backupDirectory);
    this.logControl = new LogControl(settings.log, settings.logCategories);
    const chain = {
      genesis: GENESIS_HASH[settings.network],
      anyVersion: settings.anyFork,
      newestFork: settings.newestFork,
    };
    const { newestFork } = settings;
    const { threads, pendingRequests, log } = settings;
    const daemons = settings.daemons.map((daemon) => this.#withTrust(daemon));
    const daemonCalls = new Listeners<Parameters<ObserveDaemons>>();
    if (settings.onDaemonCall !== undefined) daemonCalls.add(settings.onDaemonCall);
    const onCall = daemonCalls.notify;
    const refresher = new Refresher(threads, chain, daemons[0]?.config, pendingRequests, onCall);
    this.work = settings.work?.(this.#workParts(onCall));
    const { daemonQuorum: needed } = settings;
    // One node at two addresses has one vote, and is one witness of unmined payments.
    const identities = this.#comparesNodes ? this.#identities() : undefined;
    const noteNode = identities && identities.note.bind(identities);
    if (noteNode !== undefined) daemonCalls.add(noteNode);
    this.#daemon = new DaemonConnection({
      checkedChain: this.work,
      quorum: needed && identities ? this.#quorum(needed, identities, onCall) : undefined,
      rings: needed && identities ? this.#rings(identities) : undefined,
      identities,
      connect: (config) =>
        new HttpDaemon({ ...config, newestFork }, (report) => onCall(report, config.address)),
      connectAside: (config) =>
        new HttpDaemon({ ...config, newestFork }, noteNode && ((report) => noteNode(report, config.address))),
      refresher,
      daemons,
      trustedOffline: settings.trustedOffline ?? false,
      acceptsAnyVersion: settings.anyFork,
      newestFork,
    });
    this.#scheduler = new RefreshScheduler(log, (report, daemon) => this.failover.note(report, daemon));
    const custody = settings.cluster?.custody;
    // Streams of events end when the quorum is lost.
    settings.cluster?.quorum.onChange(() => this.events.notify());
    this.#webhookSending = new WebhookSending(settings.webhooks, log);
    this.#wallets = new OpenWallets(
      log,
      this.#scheduler,
      (rekey) =>
        new WalletOpener(this.#withFeed(settings), {
          ...{ daemon: this.#daemon, refresher, workers: this.#workers, rekey },
          webhookSending: this.#webhookSending,
          ...(custody === undefined ? {} : { custody }),
        }),
      settings.refreshPeriod,
      custody,
    );
    this.failover = new DaemonFailover({
      connection: this.#daemon,
      chain: () => ({
        ...{ network: settings.network, genesis: chain.genesis },
        histories: heldBlocks(this.#wallets.all().map(({ store }) => store)),
      }),
      clock: systemClock,
      elapsed: () => performance.now(),
      log,
      onSwitch: () => this.#scheduler.restart(),
      twinsOf: identities?.twinsOf.bind(identities),
    });
    daemonCalls.add((report, daemon) => this.failover.note(report, daemon));
    const otherTips = (): readonly ChainTip[] => this.failover.otherTips;
    this.#resources = { settings, daemon: this.#daemon, wallets: this.#wallets, otherTips };
    this.#current = new WalletScope(this.#resources);
  }

  /** True if the answers of several nodes are compared, so that one node must not count twice. */
  get #comparesNodes(): boolean {
    return this.settings.daemonQuorum !== undefined || this.settings.daemons.length > 1;
  }

  /** Creates the record of the nodes behind the listed daemons. */
  #identities(): NodeIdentities {
    return new NodeIdentities({
      list: () => this.#daemon.list,
      onSameNode: (text) => this.settings.log.warn(`two listed daemons have one vote: ${text}`),
    });
  }

  /** Creates the check of blocks by several daemons. @param report receives a failed call of an outvoted daemon. */
  #quorum(needed: number, identities: NodeIdentities, report: ObserveDaemons): BlockQuorum {
    return new BlockQuorum({
      ...{ needed, identities, clock: systemClock, elapsed: () => performance.now() },
      connection: () => this.#daemon,
      onVote: (daemon, contradiction) => this.failover.noteVote(daemon, contradiction),
      onOutvoted: (address) => report({ call: 'refresh', seconds: 0, failure: 'unverified' }, address),
    });
  }

  /** Creates the comparison of the data for rings between two daemons. */
  #rings(identities: NodeIdentities): RingWitness {
    return new RingWitness({
      ...{ identities, clock: systemClock, rng: this.settings.rng, connection: () => this.#daemon },
      onVote: (daemon, contradiction) => this.failover.noteVote(daemon, contradiction, 'rings'),
      onUndecided: (reason) =>
        this.settings.log.warn({ reason }, 'a payment is not made: its decoys cannot be compared'),
    });
  }

  /** Returns the parts that the checks of proof of work use. @param report receives a failed call of a daemon at fault. */
  #workParts(report: ObserveDaemons): WorkParts {
    return {
      serving: () => ({ address: this.daemonAddress ?? '', client: this.#daemon.client() }),
      onForged: (address, disproof) =>
        report({ call: 'proof of work', seconds: 0, failure: 'forged', disproof }, address),
      // A later refresh that succeeds ends the count of this failure.
      onRefused: (address) => report({ call: 'refresh', seconds: 0, failure: 'unverified' }, address),
      ...{ clock: systemClock, log: this.settings.log, newestFork: this.settings.newestFork },
      random: (limit) => uniformInt(limit, this.settings.rng),
    };
  }

  /** Returns a daemon with the settings that follow from the trust in it. */
  #withTrust({ config, trusted }: ListedDaemon): ListedDaemon {
    const { daemonQuorum, wholeBlocks: isWhole } = this.settings;
    // No daemon can hide a payment from a quorum by altered bytes.
    const wholeBlocks = daemonQuorum !== undefined || (isWhole && !trusted);
    const reportsIdentity = this.#comparesNodes ? { reportsIdentity: true } : {};
    return { config: { ...config, wholeBlocks, isTrusted: trusted, ...reportsIdentity }, trusted };
  }

  /** Returns the settings with listeners that also wake the readers of events. */
  #withFeed(settings: ServerSettings): ServerSettings {
    const onEvents = (name: string): void => {
      settings.events.onEvents?.(name);
      this.events.notify();
    };
    return { ...settings, events: { ...settings.events, onEvents } };
  }

  /**
   * Returns the height from which a wallet that received nothing before a date must be scanned.
   * @throws WalletError `invalid`; DaemonError.
   */
  async heightOfDate(date: string): Promise<number> {
    return heightOfDate(date, this.#daemon.client(), systemClock.now());
  }

  /**
   * Returns the wallets that a request can reach.
   * @param name name of the wallet in the path of the request; absent: the current wallet.
   * @param access wallets that the client may know of; absent: all wallets.
   */
  scope(name?: string, access?: WalletAccess): WalletScope {
    return name === undefined && access === undefined
      ? this.#current
      : new WalletScope(this.#resources, name, access);
  }

  /** Wallets that are being opened, or are about to be. */
  get openings(): Openings {
    return this.#wallets.openings;
  }

  /** Refresh period of wallets for which a client asks for periodic refreshes without a period [s]; never 0. */
  get refreshPeriod(): number {
    return this.settings.refreshPeriod || DEFAULT_PERIOD_SECONDS;
  }

  /** Newest version of blocks whose rules the server knows. */
  get newestFork(): number {
    return this.settings.newestFork;
  }

  /** Address `host:port` of the serving daemon as configured; undefined when offline. */
  get daemonAddress(): string | undefined {
    return this.#daemon.address;
  }

  /** Reads the state of the daemon. @param deadline longest time [ms]. @throws DaemonError */
  daemonInfo(deadline: number): Promise<DaemonInfo> {
    return this.#daemon.client().getInfo({ deadline });
  }

  /** Reads the hard forks that the daemon knows. @param deadline longest time [ms]. @throws DaemonError */
  daemonForks(deadline: number): Promise<readonly ScheduledFork[]> {
    return this.#daemon.client().getForks({ deadline });
  }

  /** Opens a wallet by the paths of its files. @throws WalletError as {@link WalletScope.openWallet} */
  async openPaths(paths: WalletPaths, password: string, holder: Holder): Promise<void> {
    await this.#wallets.open(paths, password, holder);
  }

  openWallets(): OpenWallet[] {
    return this.#wallets.all();
  }

  /** Lists the wallets of the directory and of the cluster by name. @throws WalletError `wallet_io` */
  async listWallets(): Promise<ListedWallet[]> {
    const { cluster, directory } = this.settings;
    const local = await listWallets(this.#wallets, directory);
    return cluster === undefined ? local : withClusterWallets(local, await cluster.currentEntries());
  }

  /**
   * Starts the probes of the listed daemons, and the refresh threads before the first wallet is opened. The threads end
   * if no wallet is opened within a minute.
   */
  start(): void {
    this.#daemon.start();
    this.failover.start();
  }

  /**
   * Begins to take over wallets of the cluster, if this process belongs to a cluster.
   * @param passwordOf returns the password of a wallet. @throws errors of `passwordOf` are errors of the wallet.
   */
  joinCluster(passwordOf: (name: string) => string): void {
    this.settings.cluster?.start({
      open: (name) => this.scope(name).openWallet({ filename: '', password: passwordOf(name) }),
      isOpen: (name) => {
        const { directory } = this.settings;
        return (
          directory !== undefined && this.#wallets.findByKeysFile(directory.locate(name).keys) !== undefined
        );
      },
      isAwaited: (name) => this.openings.isAwaited(name),
      handOver: async (held, destination) => {
        held.beginMove(destination);
        // Ends the waits for events of the wallet.
        this.events.notify();
        await this.#wallets.handOver(held);
      },
    });
  }

  /**
   * Gives the wallets of this process to other processes of the cluster, if this process belongs to a cluster, because
   * the server stops. Afterwards no call waits for a wallet any more.
   */
  async leaveCluster(): Promise<void> {
    await this.settings.cluster?.stop();
    await this.settings.cluster?.drain();
    this.openings.close();
  }

  /** Refreshes all periodically refreshed wallets, because the daemon has a new block or transaction. */
  refreshNow(): void {
    this.#scheduler.refreshNow();
  }

  /** Drops the page caches of all open stores. */
  shrinkMemory(): void {
    for (const wallet of this.#wallets.all()) wallet.store.shrinkMemory();
  }

  /**
   * Replaces the listed daemons by one daemon. @param config undefined: offline. @throws WalletError
   * `bad_daemon_settings`
   */
  setDaemon(config: DaemonConfig | undefined, trusted: boolean): void {
    try {
      const defaultPort = DAEMON_RPC_PORT[this.settings.network];
      const daemon = config && this.#withTrust({ config: { ...config, defaultPort }, trusted });
      if (daemon !== undefined) assertUsable(daemon.config);
      this.#daemon.change(daemon?.config, trusted);
    } catch (error) {
      if (error instanceof DaemonError)
        throw new WalletError({ kind: 'bad_daemon_settings', reason: error.message }, { cause: error });
      throw error;
    }
    this.failover.restart();
    this.#scheduler.restart();
  }

  /** Stops the process after the current request is answered. */
  requestStop(): void {
    this.settings.stop();
  }

  /** Aborts all calls to the daemon, and thereby the requests that wait for them, because the server stops. */
  endDaemonCalls(): void {
    this.#scheduler.stop();
    this.failover.close();
    this.#daemon.endCalls();
  }

  /** Closes all wallets, then the daemon connection and the threads. */
  async close(): Promise<void> {
    this.endDaemonCalls();
    try {
      await this.#wallets.close();
    } finally {
      await this.settings.cluster?.close();
      await this.#webhookSending.close();
      await this.#daemon.close();
      await this.work?.close();
      await this.#workers.close();
    }
  }
}

/** Checks the TLS settings of a daemon. @throws WalletError `bad_daemon_settings`; DaemonError for an unusable file. */
function assertUsable({ address, defaultPort, ssl, proxy }: DaemonConfig): void {
  const { host } = parseEndpoint(address, defaultPort);
  if (lacksVerification(host, ssl, proxy))
    throw new WalletError({
      kind: 'bad_daemon_settings',
      reason: `${ssl.mode === 'enabled' ? 'ssl_support enabled' : 'proxy'} needs ssl_ca_file, ssl_allowed_fingerprints or ssl_allow_any_cert, or a .onion or .i2p address`,
      text: ssl.mode === 'enabled' ? NO_VERIFICATION.tls : NO_VERIFICATION.proxy,
    });
  assertTlsFiles(ssl);
}

/** Writes backups of open wallets to one directory of the server. */
class Backups {
  readonly #directory: string | undefined;
  readonly #clock: TimeOfDay;
  /** Lock that lets one backup of each wallet run at a time, by wallet name. */
  readonly #running = new KeyedMutex();

  /** @param directory absent: every backup is refused. */
  constructor(directory: string | undefined, clock: TimeOfDay = systemClock) {
    this.#directory = directory === undefined ? undefined : resolve(directory);
    this.#clock = clock;
  }

  /**
   * Writes a backup of an open wallet, after a running backup of the same wallet has ended.
   * @throws WalletError `invalid` without a directory or for a wallet in memory; errors of `WalletStore.backup`.
   */
  async write({ context, paths }: Pick<OpenWallet, 'context' | 'paths'>): Promise<Backup> {
    const directory = this.#directory;
    if (directory === undefined)
      throw new WalletError({ kind: 'invalid', reason: 'the server was started without --backup-dir' });
    if (paths === undefined)
      throw new WalletError({ kind: 'invalid', reason: 'a wallet in memory has no files' });
    const { name, keys } = paths;
    return this.#running.run(name, async () => {
      const written = await context.store.backup({ name, keys }, directory, new Date(this.#clock.now()));
      context.log.info({ directory: written.directory, bytes: written.bytes }, 'a backup was written');
      return written;
    });
  }
}

/** Length of a day [ms]. */
const DAY_MS = 86_400_000;

/**
 * Returns the Unix time at which a date begins in UTC [s]. @param text date as YYYY-MM-DD. @throws WalletError
 * `invalid`
 */
function parseDate(text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // JavaScript reads a day beyond the end of its month as a day of the next month, or not at all.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text)
    throw new WalletError({ kind: 'invalid', reason: 'restore_date is a date as YYYY-MM-DD' });
  return time / 1000;
}

/**
 * Returns the height from which a wallet that received nothing before a date must be scanned. Asks for a header per
 * halving of the chain.
 * @param now Unix time [ms].
 * @throws WalletError `invalid` for a date in the future; DaemonError
 */
export async function heightOfDate(
  text: string,
  daemon: TipSource & Pick<Daemon, 'getBlockHeader'>,
  now: number,
): Promise<number> {
  const date = parseDate(text);
  // In the time zone of the user, the date of tomorrow may have begun already.
  if (date * 1000 > now + DAY_MS)
    throw new WalletError({ kind: 'invalid', reason: 'restore_date lies in the future' });
  const { blocks } = await readTip(daemon);
  return heightOfDatedWallet(daemon, blocks, date);
}
