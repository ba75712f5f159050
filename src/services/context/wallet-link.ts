import type { Daemon } from '../../daemon/daemon.js';
import type { Refresher } from '../../refresh/refresher.js';
import type { Rng } from '../../util/random.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { DaemonConnection } from './daemon-connection.js';

/** The way to the daemon of one open wallet: closing it ends the wallet's calls, and no others. */
export class WalletLink {
  readonly rng: Rng;
  readonly refresher: Refresher;
  readonly #link: DaemonConnection;
  readonly #closing = new AbortController();

  constructor(link: DaemonConnection) {
    this.#link = link;
    this.rng = link.rng;
    this.refresher = link.refresher;
  }

  get trusted(): boolean {
    return this.#link.trusted;
  }

  get address(): string | undefined {
    return this.#link.address;
  }

  /** Calls fail with WalletError `no_wallet` once this is closed. @throws DaemonError `unreachable` when offline. */
  daemon(): Daemon {
    return this.#link.daemon(this.#closing.signal);
  }

  close(): void {
    this.#closing.abort(new WalletError({ kind: 'no_wallet' }));
  }
}
