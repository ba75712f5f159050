import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { peerAddress } from '../message/caller.js';
import { CountedConnections } from './connection-limits.js';

/**
 * Largest numbers of connections that wait for {@link Listener.serve}, of all clients and of one network; further
 * connections are closed. The server to which `serve` passes the connections has limits of its own.
 */
const MAX_WAITING = { all: 100, each: { private: 100, public: 25 } };

/**
 * A bound TCP port. Connections wait until `serve` is called, so that a port can be bound before the server is ready. A
 * connection stays open for answers after its client has closed its side.
 */
export class Listener {
  readonly port: number;
  readonly #server: Server;
  readonly #waiting = new Set<Socket>();
  #accept: ((socket: Socket) => void) | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    const counted = new CountedConnections(MAX_WAITING);
    server.on('connection', (socket: Socket) => {
      if (this.#accept !== undefined) return this.#accept(socket);
      socket.on('error', () => socket.destroy());
      const release = counted.take(peerAddress(socket));
      if (typeof release !== 'function') return void socket.destroy();
      this.#waiting.add(socket);
      socket.once('close', () => {
        release();
        this.#waiting.delete(socket);
      });
    });
  }

  /**
   * Binds a port. @param port 0: a free port. @throws Error of `net.Server.listen`, with its `code`, if the port cannot
   * be bound.
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
    for (const socket of this.#waiting) if (!socket.destroyed) accept(socket);
    this.#waiting.clear();
  }

  /** Refuses new connections. Resolves once all accepted connections are closed. */
  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
