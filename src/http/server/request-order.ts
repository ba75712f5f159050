import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { TurnLimit } from '../../util/event-loop.js';
import { setHeaders } from '../message/handler.js';

/** Number of waiting requests of a connection from which on no further bytes of the connection are read. */
const MOST_WAITING = 16;

/**
 * Number of requests of all connections that begin in one turn of the event loop after they have waited for earlier
 * requests.
 */
const PER_TURN = 8;

/**
 * Status lines of answers to bytes that are not a request, by error codes of Node.js; the same as Node.js would send.
 */
const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

const EXPECTATION_FAILED = 417;

/** Requests of a connection whose answers are not sent yet. */
interface Line {
  /** Number of requests, including requests that wait for their turn. */
  open: number;
  waiting: number;
  newest: ServerResponse;
  /** Ends the connection, once all requests before the unreadable bytes are answered; absent: all bytes were readable. */
  fail?: () => void;
}

/**
 * Handles the requests of each connection one after another, in their order, as the reference does. A client may send
 * requests before it has read the answers to earlier requests (pipelining); if they ran at once, each would hold a part
 * of its answer until all earlier answers are read. Requests of different connections run at the same time; requests
 * that have waited take turns with requests of other connections, so that thousands of requests that arrive at once
 * delay no other client. A request whose connection ends before its turn does not run. Bytes that are not a request, or
 * come too late, are answered after the requests before them: Node.js would answer with its error in place of a running
 * call, which may be a payment.
 */
export class RequestOrder {
  readonly #handler: RequestListener;
  readonly #errorHeaders: OutgoingHttpHeaders;
  readonly #lines = new WeakMap<Duplex, Line>();
  /** Order of the requests that have waited for earlier requests, one of each connection. */
  readonly #turns = new TurnLimit(PER_TURN);

  /** @param errorHeaders headers of answers that the handler does not give. */
  constructor(handler: RequestListener, errorHeaders: OutgoingHttpHeaders = {}) {
    this.#handler = handler;
    this.#errorHeaders = errorHeaders;
  }

  /** True while a connection has requests whose answers are not sent completely. */
  isBusy(socket: Duplex): boolean {
    return (this.#lines.get(socket)?.open ?? 0) > 0;
  }

  /** Listener of the server's event `request`. */
  readonly listener: RequestListener = (req, res) => {
    const { socket } = req;
    const known = this.#lines.get(socket);
    const line = known ?? { open: 0, waiting: 0, newest: res };
    if (known === undefined) this.#lines.set(socket, line);
    line.open += 1;
    line.newest = res;
    res.once('close', () => {
      line.open -= 1;
      // Node.js drops the rest of a body only if no part of it was read: the next request would wait behind it for ever.
      if (!req.readableEnded) req.resume();
      if (isAnswered(line)) line.fail?.();
    });
    if (res.socket !== null) return this.#handler(req, res);
    line.waiting += 1;
    if (line.waiting >= MOST_WAITING) socket.pause();
    // Node.js gives the socket to a response when all earlier responses are sent.
    res.once('socket', () => {
      line.waiting -= 1;
      if (line.fail === undefined && line.waiting < MOST_WAITING) socket.resume();
      void this.#turns.next().then(() => this.#takeTurn(line, req, res));
    });
  };

  #takeTurn(line: Line, req: IncomingMessage, res: ServerResponse): void {
    // An incomplete request before unreadable bytes never becomes complete: the failure is answered in its place.
    const isCutOff = line.fail !== undefined && !req.complete;
    if (!isCutOff && !req.socket.destroyed) this.#handler(req, res);
  }

  /** Listener of the server's event `checkExpectation`: answers a request with a header `Expect` that is not known. */
  readonly refuseExpectation: RequestListener = (_req, res) => {
    setHeaders(res, this.#errorHeaders);
    res.writeHead(EXPECTATION_FAILED).end();
  };

  /** Listener of the server's event `clientError`. */
  readonly failed = (error: Error, socket: Duplex): void => {
    const line = this.#lines.get(socket);
    const fail = (): void => {
      const { code = '' } = error as { readonly code?: string };
      const isOfHttp = code.startsWith('HPE_') || code in STATUS;
      const hasBegun = line !== undefined && line.open > 0 && line.newest.headersSent;
      if (isOfHttp && socket.writable && !hasBegun)
        socket.write(`HTTP/1.1 ${STATUS[code] ?? '400 Bad Request'}\r\n${this.#errorHead()}\r\n`);
      socket.destroy();
    };
    if (line === undefined || isAnswered(line) || !socket.writable) return fail();
    socket.pause();
    line.fail ??= fail;
  };

  #errorHead(): string {
    const headers = Object.entries({ ...this.#errorHeaders, Connection: 'close' });
    return headers.map(([name, value]) => `${name}: ${String(value)}\r\n`).join('');
  }
}

/** True if all complete requests of a connection are answered; only the newest request can be incomplete. */
const isAnswered = ({ open, newest }: Line): boolean => open <= (newest.req.complete ? 0 : 1);
