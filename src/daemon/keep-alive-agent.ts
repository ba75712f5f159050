import { Agent, type ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connector } from './connector.js';
import { DaemonError } from './errors.js';

/** Time after which an unused connection is closed. */
const KEEP_ALIVE_MS = 30_000;

/** Message of the error of a call that its closed connection ends. */
export const CLOSED = 'the connection to the daemon is closed';

/**
 * Closes a connection on which bytes or its end arrive before the first request. The bytes, such as the answer 408 of a
 * server that waits no longer, would be taken as the answer to that request.
 */
function discard(this: Socket): void {
  this.destroy();
}

/** Agent with one connection at a time, which is kept between requests. */
export class KeepAliveAgent extends Agent {
  readonly #connector: Connector;
  /** Connection that was opened ahead of the first request; undefined once it is used or closed. */
  #opened: Promise<Socket> | undefined;
  #destroyed = false;

  constructor(connector: Connector) {
    super({ keepAlive: true, maxSockets: 1, timeout: KEEP_ALIVE_MS });
    this.#connector = connector;
  }

  /**
   * Opens the connection ahead of the first request. A failure is left to that request, which opens another.
   * @returns a promise that resolves once the connection is open or has failed.
   */
  open(): Promise<void> {
    const opened = this.#connector.open();
    this.#opened = opened;
    const forget = (): void => {
      if (this.#opened === opened) this.#opened = undefined;
    };
    return opened.then((socket) => {
      socket.once('close', forget);
      // The first request listens too. Without a listener an error would end the process.
      socket.on('error', forget);
      socket.once('readable', discard);
      // Replaced by the time limit of the first request.
      socket.setTimeout(KEEP_ALIVE_MS, () => {
        if (this.#opened === opened) socket.destroy();
      });
    }, forget);
  }

  override createConnection(
    _options: ClientRequestArgs,
    done: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    const opened = this.#opened ?? this.#connector.open();
    this.#opened = undefined;
    opened.then(
      (socket) => {
        socket.off('readable', discard);
        if (!this.#destroyed) return done(null, socket);
        socket.destroy();
        done(new DaemonError('unreachable', CLOSED, { notTaken: true }));
      },
      (error: unknown) => done(error as Error),
    );
  }

  override destroy(): void {
    this.#destroyed = true;
    void this.#opened?.then(
      (socket) => socket.destroy(),
      () => undefined,
    );
    super.destroy();
  }
}
