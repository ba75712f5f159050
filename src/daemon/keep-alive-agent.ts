import { Agent, type ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connector } from './connector.js';
import { DaemonError } from './errors.js';

/** Time after which an unused connection is closed [ms]. */
const KEEP_ALIVE_MS = 30_000;

/** Error message of a call that ends because its connection is closed. */
export const CLOSED = 'the connection to the daemon is closed';

/**
 * Closes a connection that receives bytes or its end before the first request. Otherwise the bytes, such as the answer
 * 408 of a server that stops waiting, would be taken as the answer to that request.
 */
function discard(this: Socket): void {
  this.destroy();
}

/** An HTTP agent with one connection at a time, which is kept open between requests. */
export class KeepAliveAgent extends Agent {
  readonly #connector: Connector;
  /** Connection that was opened before the first request; undefined when it was used or closed. */
  #opened: Promise<Socket> | undefined;
  #destroyed = false;

  constructor(connector: Connector) {
    super({ keepAlive: true, maxSockets: 1, timeout: KEEP_ALIVE_MS });
    this.#connector = connector;
  }

  /**
   * Opens the connection before the first request. If that fails, no error is reported: the request opens another one.
   * @returns a promise that resolves when the connection is open or has failed.
   */
  open(): Promise<void> {
    const opened = this.#connector.open();
    this.#opened = opened;
    const forget = (): void => {
      if (this.#opened === opened) this.#opened = undefined;
    };
    return opened.then((socket) => {
      socket.once('close', forget);
      // The request will add its own listener. Until then an error without a listener would end the process.
      socket.on('error', forget);
      socket.once('readable', discard);
      // The first request replaces this time limit by its own.
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
