import { request, type IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { onClosedUnanswered } from '../util/unanswered-request.js';
import { ConnectionPool, type ServerAddress } from './connector.js';
import type { Login } from './login.js';

/** Request to the server. Its signal aborts the request and the reading of its answer. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query of the request. */
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: string;
  /** True: uses a separate connection, which is closed afterwards. */
  readonly isStream?: boolean;
  readonly signal: AbortSignal;
}

/** Error of a request without an answer. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  /** True if a connection was ready for the request, so that some of its bytes may have arrived. */
  readonly wasSent: boolean;

  constructor(wasSent: boolean, cause: unknown) {
    super(cause instanceof Error ? cause.message : 'the request failed', { cause });
    this.wasSent = wasSent;
  }
}

/** Largest number of attempts for one request: without a login, with a login, and with the login for a new nonce. */
const MAX_ATTEMPTS = 3;
const UNAUTHORIZED = 401;

/** Sends HTTP requests over connections that are kept open, and logs in if the server requires it. */
export class HttpTransport {
  readonly #pool: ConnectionPool;
  readonly #streams: ConnectionPool;
  readonly #login: Login;
  readonly #host: string;

  /** @param host value of the header `Host`. @param keep largest number of unused connections. */
  constructor(address: ServerAddress, host: string, login: Login, keep: number) {
    this.#pool = new ConnectionPool(address, keep);
    this.#streams = new ConnectionPool(address, 0);
    this.#login = login;
    this.#host = host;
  }

  /**
   * Sends a request, and returns the answer as soon as its headers have arrived. The body must be read completely, or
   * destroyed.
   * @throws RequestFailure, also once the signal is aborted.
   */
  async send(sent: HttpRequest): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt++) {
      const authorization = this.#login.header(sent.method, sent.path);
      const answer = await this.#sendOnce(sent, authorization);
      if (answer.statusCode !== UNAUTHORIZED || attempt === MAX_ATTEMPTS) return answer;
      // The server did not process a request that it refused because of the login, so any such request can be sent
      // again.
      const challenges = answer.headersDistinct['www-authenticate'] ?? [];
      if (!this.#login.challenged(challenges, authorization)) return answer;
      await drain(answer);
    }
  }

  #sendOnce(sent: HttpRequest, authorization: string | undefined): Promise<IncomingMessage> {
    const { method, path, headers, body, isStream = false, signal } = sent;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new RequestFailure(false, signal.reason));
      let wasSent = false;
      const req = request({
        ...{ method, path, agent: isStream ? this.#streams : this.#pool },
        headers: {
          ...headers,
          host: this.#host,
          ...(authorization === undefined ? {} : { authorization }),
          ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        },
      });
      const onAbort = (): void => {
        // Without a socket, a request emits no error when it is destroyed.
        reject(new RequestFailure(wasSent, signal.reason));
        req.destroy();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      req.once('close', () => signal.removeEventListener('abort', onAbort));
      req.once('socket', () => {
        wasSent = true;
      });
      const fail = (error: Error): void => reject(new RequestFailure(wasSent, error));
      req.on('error', fail);
      onClosedUnanswered(req, fail);
      req.once('response', resolve);
      req.end(body);
    });
  }

  /** Closes all connections. Incomplete requests and answers fail. */
  close(): void {
    this.#pool.destroy();
    this.#streams.destroy();
  }
}

/** Reads the rest of an answer, so that its connection can be used again. @throws RequestFailure */
async function drain(answer: IncomingMessage): Promise<void> {
  try {
    await finished(answer.resume());
  } catch (cause) {
    throw new RequestFailure(true, cause);
  }
}
