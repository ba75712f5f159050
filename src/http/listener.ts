import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Most connections that wait for {@link Listener.serve}; further ones are closed. */
const MAX_WAITING = 100;

/**
 * A bound TCP port. Connections wait until `serve` is called, so that a port can be bound early. They stay open for
 * answers when the client closes its side.
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

  /** @param port 0 binds a free one. @throws Error of `net.Server.listen`, with its `code`, when it cannot be bound. */
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

  /** Refuses new connections; resolves once all accepted connections are closed. */
  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
