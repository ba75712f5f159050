import type { Socket } from 'node:net';

/** From the opening of a connection to the headers of its first request that is authenticated. */
const LOGIN_MS = 8_000;

/**
 * Closes connections that do not authenticate in time: they count against the limits on connections, and a client
 * without the login must not take the place of those that have it.
 */
export class LoginDeadline {
  readonly #ms: number;
  readonly #timers = new WeakMap<Socket, NodeJS.Timeout>();

  constructor(ms = LOGIN_MS) {
    this.#ms = ms;
  }

  /** Begins with an open connection. */
  begin(socket: Socket): void {
    const timer = setTimeout(() => socket.destroy(), this.#ms);
    this.#timers.set(socket, timer);
    socket.once('close', () => clearTimeout(timer));
  }

  /** Ends with a connection's first authenticated request. */
  lift(socket: Socket): void {
    clearTimeout(this.#timers.get(socket));
    this.#timers.delete(socket);
  }
}
