import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Number of requests that wait on a connection from which nothing more is read from it. */
const MOST_WAITING = 16;

/**
 * Returns a listener that handles the requests of each connection one after another, in their order, as the reference
 * does. A client may send requests before it has read the answers to earlier ones (pipelining); if they ran at once,
 * each would hold a part of its answer until all earlier ones are read. Requests of different connections run at the
 * same time. A request whose connection ends before its turn does not run.
 */
export function inTurn(handler: RequestListener): RequestListener {
  /** Numbers of waiting requests; only of connections that have had one. */
  const waiting = new WeakMap<Socket, number>();

  const wait = (req: IncomingMessage, res: ServerResponse): void => {
    const { socket } = req;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count >= MOST_WAITING) socket.pause();
    // Node.js gives the socket to a response when all earlier ones are sent.
    res.once('socket', () => {
      const left = (waiting.get(socket) ?? 1) - 1;
      waiting.set(socket, left);
      if (left < MOST_WAITING) socket.resume();
      handler(req, res);
    });
  };

  return (req, res) => (res.socket === null ? wait(req, res) : handler(req, res));
}
