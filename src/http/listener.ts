import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Largest number of connections that wait for {@link Listener.serve}; further connections are closed. */
const MAX_WAITING = 100;

/**
 * A bound TCP port. Connections wait until `serve` is called, so that a port can be bound before the server is ready. A
 * connection stays open for answers after its client has closed its side.
 */
export class Listener {
  readonly port: number;
  readonly #server: Server;
  readonly #waiting: Socket[] = [];
  #accept: ((socket: Socket) => void) | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket: Socket) => {
      if (this.#accept !== undefined) return this.#accept(socket);
      socket.on('error', () => socket.destroy());
      if (this.#waiting.length < MAX_WAITING) this.#waiting.push(socket);
      else socket.destroy();
    });
  }

  /**
   * Binds a port. @param port 0: a free port. @throws Error of `net.Server.listen`, with its `code`, if it cannot be
   * bound.
   */
  static bind(host: string, port: number): Promise<Listener> {
    const server = createServer({ noDelay: true, allowHalfOpen: true });
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.removeListener('error', reject);
        resolve(new Listener(server));
      });
    });
  }

  /** Passes waiting and later connections to `accept`. */
  serve(accept: (socket: Socket) => void): void {
    this.#accept = accept;
    for (const socket of this.#waiting.splice(0)) if (!socket.destroyed) accept(socket);
  }

  /** Refuses new connections. Resolves once all accepted connections are closed. */
  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
