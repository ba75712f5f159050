import type { Hash } from '../../monero/crypto/types.js';
import type { Daemon, OutputDistribution, RingCandidate } from '../../daemon/daemon.js';
import { NEWEST_FORK } from '../../monero/cryptonote/constants.js';
import { DaemonError } from '../../daemon/errors.js';
import type { DaemonConfig } from '../../daemon/http-daemon.js';
import type { BlockRef } from '../../monero/wallet/scan/findings.js';
import type { Refresher } from '../../refresh/refresher.js';
import { SharedRun } from '../../util/concurrency.js';
import {
  type ConnectDaemon,
  type DaemonClient,
  DaemonList,
  type ListedDaemon,
  type NamedDaemon,
} from './daemon-list.js';

/** Check that a block must pass before a wallet commits it. */
interface BlockGate {
  /** Resolves when a block may count. @returns undefined if it may already. @throws DaemonError */
  admit(block: BlockRef): Promise<void> | undefined;
}

/** Chain of the daemons whose proof of work is checked: see `VerifiedChain`. */
export interface CheckedChain extends BlockGate {
  /** True for a block up to which the chain is verified. */
  isVerified(block: BlockRef): boolean;
  /** Counts the verified blocks from a height up to the tip of a wallet's chain. */
  confirmations(height: number, tip: number): number;
}

/** Reads the data for rings from the serving daemon, and compares them with the word of another one: see `RingWitness`. */
interface RingSource {
  /** Reads the distribution of outputs. @param client client of the serving daemon. @throws DaemonError */
  outputDistribution(client: Daemon): Promise<OutputDistribution>;
  /** Fetches candidates for rings, in the order of their indices. @param client client of the serving daemon. @throws DaemonError */
  outputs(client: Daemon, indices: readonly number[]): Promise<readonly RingCandidate[]>;
}

export interface DaemonConnectionParts {
  readonly connect: ConnectDaemon;
  /** Creates clients for checks, whose calls do not count in the metrics; absent: `connect` creates them. */
  readonly connectAside?: ConnectDaemon;
  readonly refresher: Pick<Refresher, 'start' | 'setDaemon' | 'close'>;
  /** Listed daemons in the order of preference; the first daemon serves. Empty when offline. */
  readonly daemons: readonly ListedDaemon[];
  /** Value of {@link DaemonConnection.trusted} while offline; absent: false. */
  readonly trustedOffline?: boolean;
  /** True if blocks of newer versions are read with the rules of the newest known version; absent: false. */
  readonly acceptsAnyVersion?: boolean;
  /** Newest version of blocks whose rules are known; absent: {@link NEWEST_FORK}. */
  readonly newestFork?: number;
  /** Absent: the proof of work of blocks is not checked. */
  readonly checkedChain?: CheckedChain | undefined;
  /** Absent: the word of the serving daemon is enough. */
  readonly quorum?: BlockGate | undefined;
  /** Absent: decoys are chosen from the word of the serving daemon. */
  readonly rings?: RingSource | undefined;
  /** Counts the nodes behind listed daemons; absent: each daemon is a node. */
  readonly identities?: NodeCount | undefined;
}

/** Counts the nodes behind listed daemons. */
interface NodeCount {
  count(daemons: readonly NamedDaemon[]): number;
}

/**
 * Connection to the serving daemon, shared by all open wallets: the client of the main thread and the client of the
 * refresh thread. Other listed daemons are called for checks only.
 */
export class DaemonConnection {
  readonly #connect: ConnectDaemon;
  readonly #connectAside: ConnectDaemon;
  readonly #refresher: DaemonConnectionParts['refresher'];
  readonly acceptsAnyVersion: boolean;
  /** Newest version of blocks whose rules this server knows. */
  readonly newestFork: number;
  readonly checkedChain: CheckedChain | undefined;
  readonly quorum: BlockGate | undefined;
  readonly rings: RingSource | undefined;
  readonly identities: NodeCount | undefined;
  #list: DaemonList;
  #serving = 0;
  #client: DaemonClient | undefined;
  #trustedOffline: boolean;
  readonly #readingPool = new SharedRun(async () => await this.client().getPoolHashes());

  constructor(parts: DaemonConnectionParts) {
    const { connect, connectAside = connect, refresher, daemons, trustedOffline = false } = parts;
    this.acceptsAnyVersion = parts.acceptsAnyVersion ?? false;
    this.newestFork = parts.newestFork ?? NEWEST_FORK;
    this.checkedChain = parts.checkedChain;
    this.quorum = parts.quorum;
    this.rings = parts.rings;
    this.identities = parts.identities;
    this.#trustedOffline = trustedOffline;
    this.#connect = connect;
    this.#connectAside = connectAside;
    this.#refresher = refresher;
    this.#list = new DaemonList(daemons, connectAside);
  }

  /** Starts the refresh threads, unless the server is offline. */
  start(): void {
    if (this.current !== undefined) this.#refresher.start();
  }

  /** Listed daemons; a new object after each {@link change}. */
  get list(): DaemonList {
    return this.#list;
  }

  /** Index of the serving daemon in the list. */
  get serving(): number {
    return this.#serving;
  }

  /** The serving daemon; undefined when offline. */
  get current(): NamedDaemon | undefined {
    return this.#list.entries[this.#serving];
  }

  /** True if the server believes answers of the serving daemon that it cannot verify. */
  get trusted(): boolean {
    return this.current?.trusted ?? this.#trustedOffline;
  }

  /** Address `host:port` of the serving daemon as configured; undefined when offline. */
  get address(): string | undefined {
    return this.current?.config.address;
  }

  /**
   * Returns a client of the serving daemon. @param signal aborts the calls, with its own reason.
   * @throws DaemonError `unreachable` when offline.
   */
  client(signal?: AbortSignal): Daemon {
    const { current } = this;
    if (current === undefined)
      throw new DaemonError('unreachable', 'the wallet server is offline', { notTaken: true });
    this.#client ??= this.#connect(current.config);
    return signal === undefined ? this.#client : this.#client.until(signal);
  }

  /**
   * Lists the hashes of all transactions in the pool, with a request that is sent after this call. Wallets that call at
   * the same time share the request.
   * @throws DaemonError
   */
  poolHashes(): Promise<readonly Hash[]> {
    return this.#readingPool.run();
  }

  /** Aborts the running calls of the main thread, and every later call. */
  endCalls(): void {
    this.#client?.close();
    this.#list.close();
  }

  /**
   * Makes another listed daemon serve, and restarts the refreshes with it.
   * @returns a function that aborts the calls of the main thread to the daemon that served before.
   */
  serve(index: number): () => void {
    const next = this.#list.entries[index];
    if (next === undefined) throw new RangeError(`no daemon ${index} is listed`);
    const previous = this.#client;
    this.#client = this.#connect(next.config);
    this.#serving = index;
    this.#refresher.setDaemon(next.config);
    return () => previous?.close();
  }

  /**
   * Replaces the whole list by one daemon. @param config undefined: offline.
   * @throws DaemonError for an invalid address, after which nothing is changed.
   */
  change(config: DaemonConfig | undefined, trusted: boolean): void {
    const client = config === undefined ? undefined : this.#connect(config);
    const previous = { client: this.#client, list: this.#list };
    this.#client = client;
    this.#list = new DaemonList(config === undefined ? [] : [{ config, trusted }], this.#connectAside);
    this.#serving = 0;
    this.#trustedOffline = trusted;
    this.#refresher.setDaemon(config);
    previous.client?.close();
    previous.list.close();
  }

  async close(): Promise<void> {
    await this.#refresher.close();
    this.#client?.close();
    this.#client = undefined;
    this.#list.close();
  }
}
