import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { DigestLogin, type DigestCredentials } from '../util/http-digest.js';
import { OutboundAgent } from '../util/outbound/agent.js';
import { CallEnd } from '../util/outbound/call-end.js';
import { exchange, Unanswered } from '../util/outbound/exchange.js';
import { Semaphore } from '../util/concurrency.js';
import { Connector, parseEndpoint, type DaemonSsl, type Endpoint } from './connector.js';
import { DaemonError } from './errors.js';
import { identityOf, type NodeIdentity, type ObserveNode } from './node-identity.js';

/** Address of a daemon, and settings for calls to it. A plain value, so that it can be posted to a thread. */
export interface DaemonConfig {
  /** Address `host:port`, optionally with `http://` or `https://`. */
  readonly address: string;
  /** Port for an address without a port; absent: the address must have a port. */
  readonly defaultPort?: number;
  readonly login?: DigestCredentials;
  readonly ssl: DaemonSsl;
  /** Address of a SOCKS 5 proxy, `[ip:]port`; absent: no proxy is used. */
  readonly proxy?: string;
  /**
   * True: blocks are requested with whole transactions, each of which must have the hash that its block lists. Absent:
   * blocks are requested with pruned transactions, whose hash is compared only if the daemon gives the hash of the
   * removed part.
   */
  readonly wholeBlocks?: boolean;
  /** True if the daemon may learn which transactions concern the wallets. Absent: false. */
  readonly isTrusted?: boolean;
  /** Newest version of blocks whose rules are known. Absent: {@link NEWEST_FORK}. */
  readonly newestFork?: number;
  /** True: reports of calls have the identity of the node that answered. Absent: false. */
  readonly reportsIdentity?: boolean;
}

/** Limits of a request, and signals that end it. */
export interface PostOptions {
  /** Largest size of the answer [bytes]. */
  readonly limit: number;
  /** Longest time without data on the connection [ms]. */
  readonly timeout?: number;
  /**
   * Time limit of the whole call [ms], to which 1 ms is added for every 256 bytes of its answer. Default: one minute.
   */
  readonly deadline?: number;
  /** Signals, each of which ends the call with its reason when it is aborted. */
  readonly signals?: readonly AbortSignal[];
  readonly contentType: string;
  /** True: the request changes state and is not sent again after any of its bytes were sent. Default: it is retried. */
  readonly once?: boolean;
  /** Called for each answer, of any status, if `DaemonConfig.reportsIdentity` asks for it. */
  readonly onNode?: ObserveNode;
}

interface Answer {
  readonly status: number;
  readonly challenges: readonly string[];
  readonly body: Buffer;
}

const MAX_CONNECTIONS = 3;
/** Time after which an unused connection is closed [ms]. */
const KEEP_ALIVE_MS = 30_000;
const DEFAULT_TIMEOUT_MS = 60_000;
const TIMED_OUT = 'the daemon does not answer';
/** Error message of a call that ends because its connection is closed. */
const CLOSED = 'the connection to the daemon is closed';

/**
 * Time limit of a call without the time for its answer's length [ms]. A daemon that is syncing may be slow to answer.
 */
const DEFAULT_DEADLINE_MS = 60_000;
/** Slowest accepted rate of an answer [bytes per ms]: 256 KB a second. */
const SLOWEST_BYTES_PER_MS = 256;

/** Pauses before the first and the second retry of a call [ms]. */
const RETRY_PAUSES_MS = [100, 400];

/** System error codes of connection failures after which a retry may succeed. */
const RETRIED_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE']);

/** Reads the identity of the node at the end of a new connection; undefined unless `DaemonConfig.reportsIdentity` is true. */
type ReadIdentity = ((socket: Socket) => NodeIdentity) | undefined;

/** A connection of the transport, with the state of its digest login. */
class PooledConnection {
  readonly #connector: Connector;
  readonly #login: DigestCredentials | undefined;
  readonly #readIdentity: ReadIdentity;
  agent: OutboundAgent;
  digest: DigestLogin | undefined;
  /** Identity of the node at the end of the latest connection; undefined unless `DaemonConfig.reportsIdentity` is true. */
  node: NodeIdentity | undefined;

  constructor(connector: Connector, { login }: DaemonConfig, readIdentity: ReadIdentity) {
    this.#connector = connector;
    this.#login = login;
    this.#readIdentity = readIdentity;
    this.agent = this.#newAgent();
    this.digest = login && new DigestLogin(login);
  }

  /** Closes the connection. The next request opens a new one. */
  renew(): void {
    this.agent.destroy();
    this.agent = this.#newAgent();
    this.digest = this.#login && new DigestLogin(this.#login);
  }

  /** Creates an agent with one connection at a time. */
  #newAgent(): OutboundAgent {
    return new OutboundAgent({ most: 1, idleMs: KEEP_ALIVE_MS }, async (_to, signal) => {
      const socket = await this.#connector.open(signal);
      this.node = this.#readIdentity?.(socket);
      return socket;
    });
  }
}

/** A request with its options, which stay the same for all attempts. */
interface Call {
  readonly path: string;
  readonly body: Uint8Array | string;
  readonly options: PostOptions;
  readonly end: CallEnd;
}

/** Sends POST requests to a daemon over at most three persistent connections, each with its own digest login. */
export class Transport {
  readonly #config: DaemonConfig;
  readonly #connector: Connector;
  readonly #endpoint: Endpoint;
  readonly #connections: PooledConnection[] = [];
  readonly #idle: PooledConnection[] = [];
  readonly #free = new Semaphore(MAX_CONNECTIONS);
  readonly #closing = new AbortController();

  /** @throws DaemonError for an invalid address. */
  constructor(config: DaemonConfig) {
    this.#config = config;
    this.#endpoint = parseEndpoint(config.address, config.defaultPort);
    this.#connector = new Connector(this.#endpoint, config.ssl, config.proxy);
  }

  /** Address of the daemon, as configured. */
  get address(): string {
    return this.#config.address;
  }

  /**
   * Opens a connection before the first request, which must follow within half a minute to use it.
   * @returns a promise that resolves when the connection is open or has failed.
   */
  async connect(): Promise<void> {
    if (this.#connections.length > 0) return;
    const connection = this.#addConnection();
    this.#idle.push(connection);
    await connection.agent.openEarly(this.#endpoint);
  }

  /**
   * Sends a request.
   * @returns the body of the answer, whose status is 200.
   * @throws DaemonError, or the reason of the signal that ended the call. With `once`, the reason of the signal is
   * thrown only if no byte of the request was sent.
   */
  async post(path: string, body: Uint8Array | string, options: PostOptions): Promise<Buffer> {
    const { deadline = DEFAULT_DEADLINE_MS, signals = [], once = false } = options;
    const timeoutError = (): DaemonError =>
      new DaemonError('timeout', TIMED_OUT, { notTaken: true, code: 'ETIMEDOUT' });
    const end = new CallEnd(deadline, timeoutError, [this.#closing.signal, ...signals]);
    const call = { path, body, options, end };
    try {
      const answer = await this.#free.run(() => this.#exchangeOver(call, once), end.signal);
      return bodyOf(answer, path);
    } finally {
      end.release();
    }
  }

  /** Ends every call and closes the connections. */
  close(): void {
    this.#closing.abort(new DaemonError('unreachable', CLOSED, { notTaken: true }));
    for (const { agent } of this.#connections) agent.destroy();
  }

  /** Makes a call over a connection that no other call uses. */
  async #exchangeOver(call: Call, once: boolean): Promise<Answer> {
    const connection = this.#idle.pop() ?? this.#addConnection();
    try {
      return await (once
        ? this.#exchangeOnce(connection, call)
        : this.#exchangeWithRetries(connection, call));
    } finally {
      this.#idle.push(connection);
    }
  }

  /** Makes up to three attempts, with pauses, if the connection is refused or breaks. */
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

  /**
   * Makes one attempt over a new connection: on an idle connection that the daemon has closed, the request could be
   * lost.
   */
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

  /** Sends a request. If the answer is a login challenge, sends it again with the login. */
  async #exchange(connection: PooledConnection, call: Call): Promise<Answer> {
    try {
      const answer = await this.#send(connection, call);
      const isFinal = answer.status !== 401 || connection.digest?.accept(answer.challenges) !== true;
      const final = isFinal ? answer : await this.#send(connection, call);
      if (connection.node !== undefined) call.options.onNode?.(connection.node);
      return final;
    } catch (error) {
      connection.renew();
      this.#connector.redetectTls();
      throw error;
    }
  }

  /** Sends a request once and reads the answer. @throws Unanswered */
  #send({ agent, digest }: PooledConnection, { path, body, options, end }: Call): Promise<Answer> {
    const { limit, timeout = DEFAULT_TIMEOUT_MS, contentType } = options;
    const authorization = digest?.header('POST', path);
    const { host, port } = this.#endpoint;
    return exchange(
      {
        ...{ agent, method: 'POST', host, port, path, body },
        headers: { 'content-type': contentType, ...(authorization === undefined ? {} : { authorization }) },
        signal: end.signal,
        idle: { ms: timeout, error: () => new DaemonError('timeout', TIMED_OUT, { code: 'ETIMEDOUT' }) },
      },
      async (reply) => ({
        status: reply.statusCode ?? 0,
        challenges: reply.headersDistinct['www-authenticate'] ?? [],
        body: await collect(reply, limit, (bytes) => end.extend(bytes / SLOWEST_BYTES_PER_MS)),
      }),
    );
  }

  #addConnection(): PooledConnection {
    const { proxy, reportsIdentity = false } = this.#config;
    const readIdentity = (socket: Socket): NodeIdentity => identityOf(socket, proxy !== undefined);
    const connection = new PooledConnection(
      this.#connector,
      this.#config,
      reportsIdentity ? readIdentity : undefined,
    );
    this.#connections.push(connection);
    return connection;
  }
}

/**
 * Returns true for a status that proves that the request had no effect. Other statuses, such as statuses of a gateway,
 * prove nothing.
 */
const isRefusal = (status: number): boolean =>
  (status >= 300 && status < 500) || status === 501 || status === 503 || status === 505;

/** Returns the body of an answer. @throws DaemonError for any status but 200. */
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

/** Converts the failure of an attempt into the error that the caller receives. */
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
