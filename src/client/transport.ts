import { DigestLogin } from '../util/http-digest.js';
import type { ClientAuth } from './options.js';
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { OutboundAgent, type OpenConnection } from '../util/outbound/agent.js';
import { CallEnd } from '../util/outbound/call-end.js';
import { connectTcp, connectTls, withFingerprint } from '../util/outbound/connect.js';
import { exchange, Unanswered } from '../util/outbound/exchange.js';
import type { CallOptions } from './call-options.js';

/** Creates the `Authorization` headers for all requests of a client. Its secrets are not enumerable. */
export class Login {
  readonly #bearer: string | undefined;
  readonly #digest: DigestLogin | undefined;

  /** @throws TypeError for a token that cannot be written to a header. */
  constructor(auth: ClientAuth | undefined) {
    if (auth === undefined) return;
    if (!('token' in auth)) this.#digest = new DigestLogin({ user: auth.username, password: auth.password });
    else if (/^[\w.~+/=-]+$/.test(auth.token)) this.#bearer = `Bearer ${auth.token}`;
    else throw new TypeError('the token contains characters that no token has');
  }

  /** Returns the header for the next request; undefined without a login, and before the first digest challenge. */
  header(method: string, uri: string): string | undefined {
    return this.#bearer ?? this.#digest?.header(method, uri);
  }

  /**
   * Handles the challenges in the answer to a refused request.
   * @param headers values of `WWW-Authenticate`. @param sent the `Authorization` header of that request.
   * @returns true if the request can be sent again.
   */
  challenged(headers: readonly string[], sent: string | undefined): boolean {
    return this.#digest?.accept(headers, sent !== undefined) ?? false;
  }
}

/** Address of a server, with the certificates that are accepted from it. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** CA certificates (PEM) that the server's certificate must chain to; absent: the authorities of the system. */
  readonly ca?: string | readonly string[];
  /** SHA-256 fingerprints of accepted certificates [lower-case hex]; they replace all other checks. */
  readonly fingerprints: readonly string[];
}

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

/** Longest time of an attempt to connect, including TLS [ms]. */
const CONNECT_MS = 10_000;
/**
 * Time after which an unused connection is closed [ms]; shorter than the time at which servers and proxies close it.
 */
const IDLE_MS = 4_000;

/** Reason of the signal of a call that has no complete answer within its time. */
export const TIMED_OUT = new Error('timeout');
/** Reason of the signal of a call whose client was closed. */
export const CLOSED = new Error('closed');

/**
 * Creates the agent of one server.
 * @param keep largest number of unused connections; 0: each connection is used only once.
 */
function agentOf(address: ServerAddress, keep: number): OutboundAgent {
  const { tls, ca, fingerprints } = address;
  const open: OpenConnection = async (to, signal) => {
    const raw = await connectTcp(to, signal);
    if (!tls) return raw;
    const refusal = (): Error => new Error('the certificate of the server has another fingerprint');
    return connectTls(
      raw,
      {
        host: to.host,
        ...(ca === undefined ? {} : { ca }),
        ...(fingerprints.length === 0 ? {} : { judge: withFingerprint(fingerprints, refusal) }),
      },
      signal,
    );
  };
  return new OutboundAgent({ keep, idleMs: IDLE_MS, connectMs: CONNECT_MS }, open);
}

/** Largest number of attempts for one request: without a login, with a login, and with the login for a new nonce. */
const MAX_ATTEMPTS = 3;
const UNAUTHORIZED = 401;

/** Sends HTTP requests over connections that are kept open, and logs in if the server requires it. */
export class HttpTransport {
  readonly #address: ServerAddress;
  readonly #pool: OutboundAgent;
  readonly #streams: OutboundAgent;
  readonly #login: Login;
  readonly #host: string;
  readonly #closing = new AbortController();

  /** @param host value of the header `Host`. @param keep largest number of unused connections. */
  constructor(address: ServerAddress, host: string, login: Login, keep: number) {
    this.#address = address;
    this.#pool = agentOf(address, keep);
    this.#streams = agentOf(address, 0);
    this.#login = login;
    this.#host = host;
  }

  /**
   * Begins a call, which may send several requests. The signal of the call is aborted by the signal of the caller, and
   * with {@link TIMED_OUT} or {@link CLOSED}; the call is to be released when it has ended.
   */
  begin({ signal, timeout = 0 }: CallOptions): CallEnd {
    const sources = signal === undefined ? [] : [signal];
    return new CallEnd(timeout > 0 ? timeout : undefined, () => TIMED_OUT, [
      ...sources,
      this.#closing.signal,
    ]);
  }

  /**
   * Sends a request, and returns the answer as soon as its headers have arrived. The body must be read completely, or
   * destroyed.
   * @throws Unanswered, also once the signal is aborted.
   */
  async send(sent: HttpRequest): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt++) {
      const authorization = this.#login.header(sent.method, sent.path);
      const answer = await this.#sendOnce(sent, authorization);
      if (answer.statusCode !== UNAUTHORIZED || attempt === MAX_ATTEMPTS) return answer;
      // A request that the server refused because of the login was not processed, so it can be sent again.
      const challenges = answer.headersDistinct['www-authenticate'] ?? [];
      if (!this.#login.challenged(challenges, authorization)) return answer;
      await drain(answer);
    }
  }

  #sendOnce(sent: HttpRequest, authorization: string | undefined): Promise<IncomingMessage> {
    const { headers, body, isStream = false, ...request } = sent;
    const { host, port } = this.#address;
    const outbound = {
      ...{ ...request, host, port, agent: isStream ? this.#streams : this.#pool },
      headers: {
        ...headers,
        host: this.#host,
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
      ...(body === undefined ? {} : { body }),
    };
    return exchange(outbound, (answer) => answer);
  }

  /** Ends all calls, also every later call, and closes all connections. */
  close(): void {
    this.#closing.abort(CLOSED);
    this.#pool.destroy();
    this.#streams.destroy();
  }
}

/** Reads the rest of an answer, so that its connection can be used again. @throws Unanswered */
async function drain(answer: IncomingMessage): Promise<void> {
  try {
    await finished(answer.resume());
  } catch (cause) {
    throw new Unanswered(cause, true);
  }
}
