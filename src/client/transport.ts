import { request, type IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { ConnectionPool, type ServerAddress } from './connector.js';
import type { Login } from './login.js';

/** Request to the server. Aborting its signal ends it, and its answer. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: string;
  /** Uses a connection of its own, which is closed afterwards. */
  readonly isStream?: boolean;
  readonly signal: AbortSignal;
}

/** A request got no answer. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  /** True once a connection was ready for the request: some bytes of it may have arrived. */
  readonly wasSent: boolean;

  constructor(wasSent: boolean, cause: unknown) {
    super(cause instanceof Error ? cause.message : 'the request failed', { cause });
    this.wasSent = wasSent;
  }
}

/** Most attempts of one request: without a login, with one, and with that for a fresh nonce. */
const MAX_ATTEMPTS = 3;
const UNAUTHORIZED = 401;

/** Sends HTTP requests over kept connections, and logs in where the server wants it. */
export class HttpTransport {
  readonly #pool: ConnectionPool;
  readonly #streams: ConnectionPool;
  readonly #login: Login;
  readonly #host: string;

  /** @param host header `Host`. @param keep most unused connections. */
  constructor(address: ServerAddress, host: string, login: Login, keep: number) {
    this.#pool = new ConnectionPool(address, keep);
    this.#streams = new ConnectionPool(address, 0);
    this.#login = login;
    this.#host = host;
  }

  /**
   * Returns the answer as soon as its head has arrived. Its body must be read to the end, or destroyed.
   * @throws RequestFailure, also once the signal is aborted.
   */
  async send(sent: HttpRequest): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt++) {
      const authorization = this.#login.header(sent.method, sent.path);
      const answer = await this.#sendOnce(sent, authorization);
      if (answer.statusCode !== UNAUTHORIZED || attempt === MAX_ATTEMPTS) return answer;
      // A refused request was not processed, so that any may be sent again.
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
        // Without a socket the request reports no error when it is destroyed.
        reject(new RequestFailure(wasSent, signal.reason));
        req.destroy();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      req.once('close', () => signal.removeEventListener('abort', onAbort));
      req.once('socket', () => {
        wasSent = true;
      });
      req.on('error', (error) => reject(new RequestFailure(wasSent, error)));
      req.once('response', resolve);
      req.end(body);
    });
  }

  /** Closes all connections. Requests and answers that are not complete fail. */
  close(): void {
    this.#pool.destroy();
    this.#streams.destroy();
  }
}

/** Reads the rest of an answer, which frees its connection. @throws RequestFailure */
async function drain(answer: IncomingMessage): Promise<void> {
  try {
    await finished(answer.resume());
  } catch (cause) {
    throw new RequestFailure(true, cause);
  }
}
