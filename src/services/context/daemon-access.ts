import type { Hash } from '../../crypto/types.js';
import type { Daemon } from '../../daemon/daemon.js';
import { unlessAborted } from '../../util/unless-aborted.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { DaemonConnection } from './daemon-connection.js';

/** Access of one open wallet to the daemon. Closing it ends the calls of this wallet only. */
export class DaemonAccess {
  readonly #connection: DaemonConnection;
  readonly #closing = new AbortController();

  constructor(connection: DaemonConnection) {
    this.#connection = connection;
  }

  get trusted(): boolean {
    return this.#connection.trusted;
  }

  /** `host:port` as configured; undefined when offline. */
  get address(): string | undefined {
    return this.#connection.address;
  }

  /** Calls fail with WalletError `no_wallet` once this is closed. @throws DaemonError `unreachable` when offline. */
  client(): Daemon {
    return this.#connection.client(this.#closing.signal);
  }

  /** Lists the hashes of all transactions in the pool. @throws DaemonError; WalletError `no_wallet` once this is closed. */
  poolHashes(): Promise<readonly Hash[]> {
    return unlessAborted(this.#connection.poolHashes(), this.#closing.signal);
  }

  close(): void {
    this.#closing.abort(new WalletError({ kind: 'no_wallet' }));
  }
}
