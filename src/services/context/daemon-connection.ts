import type { Hash } from '../../crypto/types.js';
import type { Daemon } from '../../daemon/daemon.js';
import { DaemonError } from '../../daemon/errors.js';
import type { DaemonConfig } from '../../daemon/http-daemon.js';
import type { Refresher } from '../../refresh/refresher.js';
import { SharedRun } from '../../util/shared-run.js';

/** Daemon client whose calls can be aborted. */
export interface DaemonClient extends Daemon {
  /** Returns a view of this client whose calls are aborted, with the signal's reason, when the signal fires. */
  until(signal: AbortSignal): Daemon;
  close(): void;
}

/** Creates a client. @throws DaemonError for an invalid address. */
export type ConnectDaemon = (config: DaemonConfig) => DaemonClient;

/**
 * Connection to the daemon, shared by every open wallet: the client of this thread and the one of the refresh thread.
 */
export class DaemonConnection {
  readonly #connect: ConnectDaemon;
  readonly #refresher: Pick<Refresher, 'start' | 'setDaemon' | 'close'>;
  #config: DaemonConfig | undefined;
  #client: DaemonClient | undefined;
  #trusted: boolean;
  readonly #readingPool = new SharedRun(async () => await this.client().getPoolHashes());

  /** @param parts `config` is undefined when offline. */
  constructor(parts: {
    readonly connect: ConnectDaemon;
    readonly refresher: Pick<Refresher, 'start' | 'setDaemon' | 'close'>;
    readonly config: DaemonConfig | undefined;
    readonly trusted: boolean;
  }) {
    this.#connect = parts.connect;
    this.#refresher = parts.refresher;
    this.#config = parts.config;
    this.#trusted = parts.trusted;
  }

  /** Starts the refresh threads, unless the server is offline. */
  start(): void {
    if (this.#config !== undefined) this.#refresher.start();
  }

  get trusted(): boolean {
    return this.#trusted;
  }

  /** `host:port` as configured; undefined when offline. */
  get address(): string | undefined {
    return this.#config?.address;
  }

  /** @param signal aborts the calls with its reason. @throws DaemonError `unreachable` when offline. */
  client(signal?: AbortSignal): Daemon {
    if (this.#config === undefined)
      throw new DaemonError('unreachable', 'the wallet server is offline', { notTaken: true });
    this.#client ??= this.#connect(this.#config);
    return signal === undefined ? this.#client : this.#client.until(signal);
  }

  /**
   * Lists the hashes of all transactions in the pool, from a request that is sent after this call. Wallets that ask at
   * the same time share it.
   * @throws DaemonError
   */
  poolHashes(): Promise<readonly Hash[]> {
    return this.#readingPool.run();
  }

  /** Aborts the running calls of this thread, and every later one. */
  endCalls(): void {
    this.#client?.close();
  }

  /** Replaces the daemon. @throws DaemonError for an invalid address; nothing is changed then. */
  change(config: DaemonConfig | undefined, trusted: boolean): void {
    const client = config === undefined ? undefined : this.#connect(config);
    const previous = this.#client;
    this.#client = client;
    this.#config = config;
    this.#trusted = trusted;
    this.#refresher.setDaemon(config);
    previous?.close();
  }

  async close(): Promise<void> {
    await this.#refresher.close();
    this.#client?.close();
    this.#client = undefined;
  }
}
