import type { Socket } from 'node:net';

/** Longest time from the opening of a connection to the headers of its first authenticated request [ms]. */
const LOGIN_MS = 8_000;

/**
 * Closes connections that do not authenticate in time, so that clients without a login cannot use up the limits on
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

  /** Ends the deadline of a connection; to be called at its first authenticated request. */
  lift(socket: Socket): void {
    clearTimeout(this.#timers.get(socket));
    this.#timers.delete(socket);
  }
}
