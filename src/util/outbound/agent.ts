import { Agent, type ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connectWithin, type ConnectTarget } from './connect.js';

/** Limits of the connections of an agent. */
export interface AgentOptions {
  /** Largest number of unused connections to one host; 0: each connection is used once. Absent: unlimited. */
  readonly keep?: number;
  /** Largest number of connections to one host; absent: unlimited. */
  readonly most?: number;
  /** Time after which an unused connection is closed [ms]; absent: the other side closes it. */
  readonly idleMs?: number;
  /** Longest time of an attempt to connect [ms]; absent: `open` limits it. */
  readonly connectMs?: number;
  /** Port that the header `Host` leaves out; absent: 80. */
  readonly defaultPort?: number;
}

/**
 * Opens a connection on which bytes may be sent. Over TLS, the server has proved its identity. A request without a
 * connection was therefore not sent.
 */
export type OpenConnection = (to: ConnectTarget, signal: AbortSignal) => Promise<Socket>;

/**
 * Closes a connection that receives bytes or its end before the first request. Otherwise the bytes, such as the answer
 * 408 of a server that stops waiting, would be taken as the answer to the first request.
 */
function discard(this: Socket): void {
  this.destroy();
}

/** Agent for HTTP requests in plain text and over TLS, which keeps connections open between requests. */
export class OutboundAgent extends Agent {
  readonly #open: OpenConnection;
  readonly #options: AgentOptions;
  readonly #closing = new AbortController();
  /** Connection that was opened before the first request; undefined when it was used or closed. */
  #early: Promise<Socket> | undefined;

  constructor(options: AgentOptions, open: OpenConnection) {
    const { keep, most, idleMs, defaultPort } = options;
    super({
      keepAlive: keep !== 0,
      scheduling: 'lifo',
      ...(keep === undefined ? {} : { maxFreeSockets: keep }),
      ...(most === undefined ? {} : { maxSockets: most }),
      ...(idleMs === undefined ? {} : { timeout: idleMs }),
      ...(defaultPort === undefined ? {} : { defaultPort }),
    });
    this.#open = open;
    this.#options = options;
  }

  /**
   * Opens a connection before the first request. A failure is not reported: the request then opens another connection.
   * @returns a promise that resolves when the connection is open or has failed.
   */
  openEarly(to: ConnectTarget): Promise<void> {
    const early = this.#connect(to);
    this.#early = early;
    const forget = (): void => {
      if (this.#early === early) this.#early = undefined;
    };
    return early.then((socket) => {
      socket.once('close', forget);
      // The request will add its own listener. Until then an error without a listener would end the process.
      socket.on('error', forget);
      socket.once('readable', discard);
      // The first request replaces this time limit by its own.
      socket.setTimeout(this.#options.idleMs ?? 0, () => {
        if (this.#early === early) socket.destroy();
      });
    }, forget);
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    done?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const opened = this.#early ?? this.#connect({ host: host ?? 'localhost', port: Number(port) });
    this.#early = undefined;
    const report = done as (error: Error | null, socket?: Duplex) => void;
    opened.then(
      (socket) => {
        socket.off('readable', discard);
        report(null, socket);
      },
      (error: unknown) => report(error as Error),
    );
  }

  /** Closes all connections, and ends attempts to connect. */
  override destroy(): void {
    this.#closing.abort(new Error('the connections are closed'));
    void this.#early?.then(
      (socket) => socket.destroy(),
      () => undefined,
    );
    super.destroy();
  }

  async #connect(to: ConnectTarget): Promise<Socket> {
    const { signal } = this.#closing;
    const socket = await connectWithin(this.#options.connectMs, [signal], (end) => this.#open(to, end));
    if (!signal.aborted) return socket;
    socket.destroy();
    throw signal.reason;
  }
}
