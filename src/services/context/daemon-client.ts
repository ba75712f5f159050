import type { Daemon } from '../../daemon/daemon.js';
import type { DaemonConfig } from '../../daemon/http-daemon.js';

/** Daemon client whose calls can be aborted. */
export interface DaemonClient extends Daemon {
  /** Returns a view of this client whose calls are aborted, with the signal's reason, when the signal fires. */
  until(signal: AbortSignal): Daemon;
  close(): void;
}

/** Creates a client. @throws DaemonError for an invalid address. */
export type ConnectDaemon = (config: DaemonConfig) => DaemonClient;
