import { endpointName, parseEndpoint } from '../../daemon/connector.js';
import { DaemonError } from '../../daemon/errors.js';
import type { DaemonConfig } from '../../daemon/http-daemon.js';
import type { ConnectDaemon, DaemonClient } from './daemon-client.js';

/** A daemon that the operator listed. */
export interface ListedDaemon {
  readonly config: DaemonConfig;
  /** Whether answers that cannot be verified are believed. */
  readonly trusted: boolean;
}

/** A listed daemon with its identity. */
export interface NamedDaemon extends ListedDaemon {
  /** `host:port`, equal for all spellings of its address. */
  readonly name: string;
}

/** Listed daemons in the order of preference; each has a client for checks, which is created with its first use. */
export class DaemonList {
  readonly entries: readonly NamedDaemon[];
  readonly #connect: ConnectDaemon;
  readonly #clients = new Map<string, DaemonClient>();

  /** @param connect creates clients for checks. */
  constructor(daemons: readonly ListedDaemon[], connect: ConnectDaemon) {
    this.entries = daemons.map((daemon) => ({ ...daemon, name: nameOf(daemon.config) }));
    this.#connect = connect;
  }

  find(name: string): NamedDaemon | undefined {
    return this.entries.find((entry) => entry.name === name);
  }

  /** Client for checks of a listed daemon; it shares no connection with the client that serves the wallets. */
  client({ name, config }: NamedDaemon): DaemonClient {
    const client = this.#clients.get(name) ?? this.#connect(config);
    this.#clients.set(name, client);
    return client;
  }

  /** Ends the calls of the clients for checks. */
  close(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }
}

/** Name of a daemon; its address itself if that is invalid, as every call to it fails then. */
function nameOf({ address, defaultPort }: DaemonConfig): string {
  try {
    return endpointName(parseEndpoint(address, defaultPort));
  } catch (error) {
    if (error instanceof DaemonError) return address;
    throw error;
  }
}
