import type { Socket } from 'node:net';

/** From the opening of a connection to the headers of its first authenticated request. */
const LOGIN_MS = 8_000;

/**
 * Closes connections that do not authenticate in time: clients without the login must not use up the limits on
 * connections.
 */
export class LoginDeadline {
  readonly #ms: number;
  readonly #timers = new WeakMap<Socket, NodeJS.Timeout>();

  constructor(ms = LOGIN_MS) {
    this.#ms = ms;
  }

  /** Starts the deadline of an open connection. */
  begin(socket: Socket): void {
    const timer = setTimeout(() => socket.destroy(), this.#ms);
    this.#timers.set(socket, timer);
    socket.once('close', () => clearTimeout(timer));
  }

  /** Removes the deadline, at the connection's first authenticated request. */
  lift(socket: Socket): void {
    clearTimeout(this.#timers.get(socket));
    this.#timers.delete(socket);
  }
}
