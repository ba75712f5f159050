import { request, type IncomingMessage } from 'node:http';
import { DigestLogin, type DigestCredentials } from '../util/digest-login.js';
import { Connector, parseEndpoint, type DaemonSsl, type Endpoint } from './connector.js';
import { CallEnd } from './call-end.js';
import { DaemonError } from './errors.js';
import { CLOSED, KeepAliveAgent } from './keep-alive-agent.js';

/** Address and settings for calling a daemon. Cloneable, so that it can be sent to a thread. */
export interface DaemonConfig {
  /** `host:port`, optionally with `http://` or `https://`. */
  readonly address: string;
  /** Port of an address without one; absent: the address must have one. */
  readonly defaultPort?: number;
  readonly login?: DigestCredentials;
  readonly ssl: DaemonSsl;
  /** SOCKS 5 proxy, `[ip:]port`. */
  readonly proxy?: string;
}

export interface PostOptions {
  /** Largest answer [bytes]. */
  readonly limit: number;
  /** Longest inactivity of the connection [ms]. */
  readonly timeout?: number;
  /** Time for the whole call [ms], plus 1 ms for every 256 bytes of its answer; absent: a minute. */
  readonly deadline?: number;
  /** Each ends the call with its reason. */
  readonly signals?: readonly AbortSignal[];
  readonly contentType: string;
  /** Never send the request again after any of its bytes were sent, because it changes state. Default: retry. */
  readonly once?: boolean;
}

interface Answer {
  readonly status: number;
  readonly challenges: readonly string[];
  readonly body: Buffer;
}

const MAX_CONNECTIONS = 3;
const DEFAULT_TIMEOUT_MS = 60_000;
const TIMED_OUT = 'the daemon does not answer';

/** Time for a call without its answer's length: a daemon that is syncing may be slow to begin. */
const DEFAULT_DEADLINE_MS = 60_000;
/** Slowest rate at which an answer of any length is received: 256 KB a second. */
const SLOWEST_BYTES_PER_MS = 256;

/** Pauses before a call is retried. */
const RETRY_PAUSES_MS = [100, 400];

/** Codes of connection errors after which a retry may succeed. */
const RETRIED_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE']);

/** Connection of the pool, with its digest login. */
class PooledConnection {
  readonly #connector: Connector;
  readonly #login: DigestCredentials | undefined;
  agent: KeepAliveAgent;
  digest: DigestLogin | undefined;

  constructor(connector: Connector, login: DigestCredentials | undefined) {
    this.#connector = connector;
    this.#login = login;
    this.agent = new KeepAliveAgent(connector);
    this.digest = login && new DigestLogin(login);
  }

  /** Closes the connection; the next request opens another. */
  renew(): void {
    this.agent.destroy();
    this.agent = new KeepAliveAgent(this.#connector);
    this.digest = this.#login && new DigestLogin(this.#login);
  }
}

/** A request got no answer. */
class Unanswered extends Error {
  /** Bytes of the request may have been sent. */
  readonly maybeSent: boolean;

  constructor(cause: unknown, maybeSent: boolean) {
    super('unanswered', { cause });
    this.maybeSent = maybeSent;
  }
}

/** A request, the same for all attempts. */
interface Call {
  readonly path: string;
  readonly body: Uint8Array | string;
  readonly options: PostOptions;
  readonly end: CallEnd;
}

/** Sends POST requests over at most three persistent connections, each with its own login. */
export class Transport {
  readonly #config: DaemonConfig;
  readonly #connector: Connector;
  readonly #endpoint: Endpoint;
  readonly #connections: PooledConnection[] = [];
  readonly #idle: PooledConnection[] = [];
  readonly #waiting = new Set<(connection: PooledConnection) => void>();
  readonly #closing = new AbortController();

  /** @throws DaemonError for an invalid address. */
  constructor(config: DaemonConfig) {
    this.#config = config;
    this.#endpoint = parseEndpoint(config.address, config.defaultPort);
    this.#connector = new Connector(this.#endpoint, config.ssl, config.proxy);
  }

  /**
   * Opens a connection ahead of the first request, which uses it within half a minute.
   * @returns a promise that resolves once it is open or has failed.
   */
  async connect(): Promise<void> {
    if (this.#connections.length > 0) return;
    const connection = this.#addConnection();
    this.#release(connection);
    await connection.agent.open();
  }

  /**
   * Sends a request. @returns the body of an answer with status 200.
   * @throws DaemonError, or the reason of the signal that ended the call; with `once` that reason only before any of
   * the request's bytes were sent.
   */
  async post(path: string, body: Uint8Array | string, options: PostOptions): Promise<Buffer> {
    const { deadline = DEFAULT_DEADLINE_MS, signals = [], once = false } = options;
    const timeoutError = (): DaemonError =>
      new DaemonError('timeout', TIMED_OUT, { notTaken: true, code: 'ETIMEDOUT' });
    const end = new CallEnd(deadline, timeoutError, [this.#closing.signal, ...signals]);
    try {
      const connection = await this.#acquire(end);
      try {
        const call = { path, body, options, end };
        const answer = await (once
          ? this.#exchangeOnce(connection, call)
          : this.#exchangeWithRetries(connection, call));
        return bodyOf(answer, path);
      } finally {
        this.#release(connection);
      }
    } finally {
      end.release();
    }
  }

  /** Ends every call. */
  close(): void {
    this.#closing.abort(new DaemonError('unreachable', CLOSED, { notTaken: true }));
    for (const { agent } of this.#connections) agent.destroy();
  }

  /** Tries a call up to three times, with pauses, if a connection is refused or breaks. */
  async #exchangeWithRetries(connection: PooledConnection, call: Call): Promise<Answer> {
    for (let attempt = 0; ; attempt++)
      try {
        return await this.#exchange(connection, call);
      } catch (error) {
        const failure = failureOf(error, call.end);
        const pause = RETRY_PAUSES_MS[attempt];
        if (call.end.signal.aborted || pause === undefined || !canRetry(failure)) throw failure;
        await call.end.pause(pause);
      }
  }

  /** Sends a request over a new connection: it may be lost on an idle one that the daemon has closed. */
  async #exchangeOnce(connection: PooledConnection, call: Call): Promise<Answer> {
    connection.renew();
    try {
      return await this.#exchange(connection, call);
    } catch (error) {
      const failure = failureOf(error, call.end);
      if (failure instanceof DaemonError || !(error instanceof Unanswered && error.maybeSent)) throw failure;
      throw new DaemonError('unreachable', CLOSED, { cause: failure });
    }
  }

  /** Sends a request, and sends it again with the login if a challenge is the answer. */
  async #exchange(connection: PooledConnection, call: Call): Promise<Answer> {
    try {
      const answer = await this.#send(connection, call);
      if (answer.status !== 401 || connection.digest?.accept(answer.challenges) !== true) return answer;
      return await this.#send(connection, call);
    } catch (error) {
      connection.renew();
      this.#connector.redetectTls();
      throw error;
    }
  }

  /** @throws Unanswered */
  #send({ agent, digest }: PooledConnection, { path, body, options, end }: Call): Promise<Answer> {
    const { limit, timeout = DEFAULT_TIMEOUT_MS, contentType } = options;
    const authorization = digest?.header('POST', path);
    const { host, port } = this.#endpoint;
    const { signal } = end;
    return new Promise((resolve, reject) => {
      let connected = false;
      const fail = (cause: unknown): void => {
        signal.removeEventListener('abort', ended);
        reject(new Unanswered(cause, connected));
      };
      const ended = (): void => {
        fail(signal.reason);
        sent.destroy();
      };
      const sent = request({
        agent,
        method: 'POST',
        host,
        port,
        path,
        timeout,
        headers: { 'content-type': contentType, ...(authorization === undefined ? {} : { authorization }) },
      });
      // Bytes can be sent only once there is a socket.
      sent.on('socket', () => (connected = true));
      sent.on('timeout', () => sent.destroy(new DaemonError('timeout', TIMED_OUT, { code: 'ETIMEDOUT' })));
      sent.on('error', fail);
      sent.on('response', (reply) => {
        collect(reply, limit, (bytes) => end.extend(bytes / SLOWEST_BYTES_PER_MS)).then(
          (answer) => {
            signal.removeEventListener('abort', ended);
            resolve({
              status: reply.statusCode ?? 0,
              challenges: reply.headersDistinct['www-authenticate'] ?? [],
              body: answer,
            });
          },
          (error: Error) => {
            sent.destroy();
            fail(error);
          },
        );
      });
      signal.addEventListener('abort', ended);
      if (signal.aborted) ended();
      else sent.end(body);
    });
  }

  /** Takes a connection, or waits for one. @throws the reason if the call ends earlier. */
  async #acquire(end: CallEnd): Promise<PooledConnection> {
    end.signal.throwIfAborted();
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#connections.length < MAX_CONNECTIONS) return this.#addConnection();
    let take: (connection: PooledConnection) => void = () => undefined;
    const free = new Promise<PooledConnection>((resolve) => (take = resolve));
    this.#waiting.add(take);
    try {
      return await end.race(free);
    } catch (error) {
      this.#waiting.delete(take);
      // This call may have been given a connection in the meantime.
      void free.then((connection) => this.#release(connection));
      throw error;
    }
  }

  #release(connection: PooledConnection): void {
    const [next] = this.#waiting;
    if (next === undefined) return void this.#idle.push(connection);
    this.#waiting.delete(next);
    next(connection);
  }

  #addConnection(): PooledConnection {
    const connection = new PooledConnection(this.#connector, this.#config.login);
    this.#connections.push(connection);
    return connection;
  }
}

/** True for a status that proves that the request had no effect; others, such as a gateway's, do not. */
const isRefusal = (status: number): boolean =>
  (status >= 300 && status < 500) || status === 501 || status === 503 || status === 505;

/** @throws DaemonError for any status but 200. */
function bodyOf({ status, body }: Answer, path: string): Buffer {
  if (status === 200) return body;
  if (status === 401)
    throw new DaemonError('unauthorized', 'the daemon requires other credentials', { status });
  throw new DaemonError('rejected', `the daemon answered ${path} with HTTP status ${status}`, {
    status,
    notTaken: isRefusal(status),
  });
}

const canRetry = (error: unknown): boolean =>
  error instanceof DaemonError && error.kind === 'unreachable' && RETRIED_CODES.has(error.code ?? '');

async function collect(
  reply: IncomingMessage,
  limit: number,
  onBytes: (bytes: number) => void,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    length += chunk.length;
    onBytes(chunk.length);
    if (length > limit) throw new DaemonError('too_large', `the daemon's answer exceeds ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** Converts the failure of an attempt into the error that the caller gets. */
function failureOf(error: unknown, { signal }: CallEnd): unknown {
  if (!(error instanceof Unanswered)) return error;
  const { cause, maybeSent } = error;
  if (!(cause instanceof DaemonError))
    return signal.aborted && cause === signal.reason
      ? cause
      : new DaemonError('unreachable', 'no connection', { cause, notTaken: !maybeSent });
  if (!maybeSent || !cause.notTaken) return cause;
  return new DaemonError(cause.kind, cause.message, { cause, notTaken: false });
}
