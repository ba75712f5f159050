import { endpointName, parseEndpoint } from '../../daemon/connector.js';
import { DaemonError } from '../../daemon/errors.js';
import type { DaemonConfig } from '../../daemon/http-daemon.js';
import type { Daemon } from '../../daemon/daemon.js';

/** A daemon in the list of the operator. */
export interface ListedDaemon {
  readonly config: DaemonConfig;
  /** True if the server believes answers of this daemon that it cannot verify. */
  readonly trusted: boolean;
}

/** A listed daemon with a name that identifies it. */
export interface NamedDaemon extends ListedDaemon {
  /** Address `host:port`, equal for all spellings of the address. */
  readonly name: string;
}

/** Listed daemons in the order of preference. Each has a client for checks, created when it is first used. */
export class DaemonList {
  readonly entries: readonly NamedDaemon[];
  readonly #connect: ConnectDaemon;
  readonly #clients = new Map<string, DaemonClient>();

  /** @param connect creates clients for checks. */
  constructor(daemons: readonly ListedDaemon[], connect: ConnectDaemon) {
    this.entries = daemons.map((daemon) => ({ ...daemon, name: nameOf(daemon.config) }));
    this.#connect = connect;
  }

  /** Finds a listed daemon by its name. */
  find(name: string): NamedDaemon | undefined {
    return this.entries.find((entry) => entry.name === name);
  }

  /**
   * Returns the client for checks of a listed daemon; it shares no connection with the client that serves the wallets.
   */
  client({ name, config }: NamedDaemon): DaemonClient {
    const client = this.#clients.get(name) ?? this.#connect(config);
    this.#clients.set(name, client);
    return client;
  }

  /** Aborts the calls of all clients for checks. */
  close(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }
}

/**
 * Name of a daemon: its address in a unique form; the address itself if it is invalid, since no call to an invalid
 * address can succeed.
 */
function nameOf({ address, defaultPort }: DaemonConfig): string {
  try {
    return endpointName(parseEndpoint(address, defaultPort));
  } catch (error) {
    if (error instanceof DaemonError) return address;
    throw error;
  }
}

/** Daemon client whose calls can be aborted. */
export interface DaemonClient extends Daemon {
  /** Returns a view of this client whose calls are aborted, with the signal's reason, when the signal fires. */
  until(signal: AbortSignal): Daemon;
  close(): void;
}

/** Creates a client. @throws DaemonError for an invalid address. */
export type ConnectDaemon = (config: DaemonConfig) => DaemonClient;
