import type { Daemon } from '../../daemon/daemon.js';
import { DaemonError } from '../../daemon/errors.js';
import { HttpDaemon, type DaemonConfig } from '../../daemon/http-daemon.js';
import type { ExpectedChain } from '../../refresh/chain-block.js';
import { Refresher } from '../../refresh/refresher.js';
import type { PendingRequests } from '../../util/pending-requests.js';
import type { Rng } from '../../util/random.js';

/** The way to the daemon that every open wallet shares: calls of this thread, and the refresh thread. */
export class DaemonConnection {
  readonly rng: Rng;
  readonly refresher: Refresher;
  #config: DaemonConfig | undefined;
  #daemon: HttpDaemon | undefined;
  #trusted: boolean;

  /** @param config undefined is offline. */
  constructor(parts: {
    threads: number;
    chain: ExpectedChain;
    config: DaemonConfig | undefined;
    trusted: boolean;
    rng: Rng;
    pendingRequests: PendingRequests;
  }) {
    this.rng = parts.rng;
    this.refresher = new Refresher(parts.threads, parts.chain, parts.config, parts.pendingRequests);
    this.#config = parts.config;
    this.#trusted = parts.trusted;
  }

  /** Starts the threads that refreshes need, unless there is nothing to refresh from. */
  start(): void {
    if (this.#config !== undefined) this.refresher.start();
  }

  get trusted(): boolean {
    return this.#trusted;
  }

  get address(): string | undefined {
    return this.#config?.address;
  }

  /** @param signal ends the calls with its reason. @throws DaemonError `unreachable` when offline. */
  daemon(signal?: AbortSignal): Daemon {
    if (this.#config === undefined)
      throw new DaemonError('unreachable', 'the wallet server is offline', { notTaken: true });
    this.#daemon ??= new HttpDaemon(this.#config);
    return signal === undefined ? this.#daemon : this.#daemon.until(signal);
  }

  /** Ends the calls of this thread, those under way and those to come. */
  endCalls(): void {
    this.#daemon?.close();
  }

  change(config: DaemonConfig | undefined, trusted: boolean): void {
    const previous = this.#daemon;
    // Says at once when the address cannot be one.
    this.#daemon = config === undefined ? undefined : new HttpDaemon(config);
    this.#config = config;
    this.#trusted = trusted;
    this.refresher.setDaemon(config);
    previous?.close();
  }

  async close(): Promise<void> {
    await this.refresher.close();
    this.#daemon?.close();
    this.#daemon = undefined;
  }
}
