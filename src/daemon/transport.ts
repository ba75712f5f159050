import { Agent, request, type ClientRequestArgs, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Connector, parseEndpoint, type DaemonSsl, type Endpoint } from './connector.js';
import { DigestSession, type Credentials } from './digest-client.js';
import { CallEnd } from './call-end.js';
import { DaemonError } from './errors.js';

/** Everything that a thread needs to speak to a daemon. Cloneable. */
export interface DaemonConfig {
  /** `host:port`, optionally with `http://` or `https://`. */
  readonly address: string;
  /** Used where the address names none; absent: it must. */
  readonly defaultPort?: number;
  readonly login?: Credentials;
  readonly ssl: DaemonSsl;
  /** SOCKS 5, `[ip:]port`. */
  readonly proxy?: string;
}

export interface PostOptions {
  /** Bytes of the answer at most. */
  readonly limit: number;
  /** Silence at most, ms. */
  readonly timeout?: number;
  /** The whole call at most, ms, and 1 ms more for every 256 bytes of its answer; absent: a minute. */
  readonly deadline?: number;
  /** Each ends the call with its reason. */
  readonly signals?: readonly AbortSignal[];
  readonly contentType: string;
  /** Never sent again after any of its bytes left: it changes something. Absent: tried again where a connection fails. */
  readonly once?: boolean;
}

interface Answer {
  readonly status: number;
  readonly challenges: readonly string[];
  readonly body: Buffer;
}

const MAX_CONNECTIONS = 3;
const DEFAULT_TIMEOUT_MS = 60_000;
const KEPT_IDLE_MS = 30_000;
const CLOSED = 'the connection to the daemon is closed';
const LATE = 'the daemon does not answer';

/** Time for a call of any size: a daemon that syncs may be slow to begin. */
const DEFAULT_DEADLINE_MS = 60_000;
/** An answer that comes at this rate, 256 KB a second, may be of any size. */
const SLOWEST_BYTES_A_MS = 256;

/** Pauses before a call is tried again, ms. */
const PAUSES_MS = [100, 400];

/** Connections that another attempt may not find broken. */
const BROKEN = new Set(['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE']);

/** One connection at a time, kept between requests. */
class KeptConnection extends Agent {
  readonly #connector: Connector;
  #destroyed = false;

  constructor(connector: Connector) {
    super({ keepAlive: true, maxSockets: 1, timeout: KEPT_IDLE_MS });
    this.#connector = connector;
  }

  override createConnection(
    _options: ClientRequestArgs,
    done: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    this.#connector.open().then(
      (socket) => {
        if (!this.#destroyed) return done(null, socket);
        socket.destroy();
        done(new DaemonError('unreachable', CLOSED, { notTaken: true }));
      },
      (error: unknown) => done(error as Error),
    );
  }

  override destroy(): void {
    this.#destroyed = true;
    super.destroy();
  }
}

/** One of the connections, with the login that its nonces belong to. */
class Line {
  readonly #connector: Connector;
  readonly #login: Credentials | undefined;
  connection: KeptConnection;
  digest: DigestSession | undefined;

  constructor(connector: Connector, login: Credentials | undefined) {
    this.#connector = connector;
    this.#login = login;
    this.connection = new KeptConnection(connector);
    this.digest = login && new DigestSession(login);
  }

  /** Gives up the connection; the next request opens another. */
  renew(): void {
    this.connection.destroy();
    this.connection = new KeptConnection(this.#connector);
    this.digest = this.#login && new DigestSession(this.#login);
  }
}

/** A request without an answer. */
class Unanswered extends Error {
  readonly bytesLeft: boolean;

  constructor(cause: unknown, bytesLeft: boolean) {
    super('unanswered', { cause });
    this.bytesLeft = bytesLeft;
  }
}

/** A request as all its attempts send it. */
interface Call {
  readonly path: string;
  readonly body: Uint8Array | string;
  readonly options: PostOptions;
  readonly end: CallEnd;
}

/** POSTs over at most three kept connections, each with its own login. */
export class Transport {
  readonly #config: DaemonConfig;
  readonly #connector: Connector;
  readonly #endpoint: Endpoint;
  readonly #lines: Line[] = [];
  readonly #idle: Line[] = [];
  readonly #waiting = new Set<(line: Line) => void>();
  readonly #closing = new AbortController();

  /** @throws DaemonError for an address that cannot be one. */
  constructor(config: DaemonConfig) {
    this.#config = config;
    this.#endpoint = parseEndpoint(config.address, config.defaultPort);
    this.#connector = new Connector(this.#endpoint, config.ssl, config.proxy);
  }

  /**
   * @returns the body of a 200.
   * @throws DaemonError, or the reason of the signal that ended the call. A call that is sent once ends so only
   * before any of its bytes left.
   */
  async post(path: string, body: Uint8Array | string, options: PostOptions): Promise<Buffer> {
    const { deadline = DEFAULT_DEADLINE_MS, signals = [], once = false } = options;
    const late = (): DaemonError => new DaemonError('timeout', LATE, { notTaken: true, code: 'ETIMEDOUT' });
    const end = new CallEnd(deadline, late, [this.#closing.signal, ...signals]);
    try {
      const line = await this.#acquire(end);
      try {
        const call = { path, body, options, end };
        const answer = once ? await this.#askOnce(line, call) : await this.#ask(line, call);
        return bodyOf(answer, path);
      } finally {
        this.#release(line);
      }
    } finally {
      end.release();
    }
  }

  /** Ends every call. */
  close(): void {
    this.#closing.abort(new DaemonError('unreachable', CLOSED, { notTaken: true }));
    for (const { connection } of this.#lines) connection.destroy();
  }

  /** Tries a call up to three times, with pauses, where a connection is refused or breaks. */
  async #ask(line: Line, call: Call): Promise<Answer> {
    for (let attempt = 0; ; attempt++)
      try {
        return await this.#exchange(line, call);
      } catch (error) {
        const failure = failureOf(error, call.end);
        const pause = PAUSES_MS[attempt];
        if (call.end.signal.aborted || pause === undefined || !isBroken(failure)) throw failure;
        await call.end.pause(pause);
      }
  }

  /** Sends a request over a fresh connection: that a kept one is closed at the other end shows too late. */
  async #askOnce(line: Line, call: Call): Promise<Answer> {
    line.renew();
    try {
      return await this.#exchange(line, call);
    } catch (error) {
      const failure = failureOf(error, call.end);
      if (failure instanceof DaemonError || !(error instanceof Unanswered && error.bytesLeft)) throw failure;
      throw new DaemonError('unreachable', CLOSED, { cause: failure });
    }
  }

  /** One request, and another one with the login where the first is answered by a challenge. */
  async #exchange(line: Line, call: Call): Promise<Answer> {
    try {
      const answer = await this.#send(line, call);
      if (answer.status !== 401 || line.digest?.accept(answer.challenges) !== true) return answer;
      return await this.#send(line, call);
    } catch (error) {
      line.renew();
      this.#connector.doubt();
      throw error;
    }
  }

  /** @throws Unanswered */
  #send({ connection, digest }: Line, { path, body, options, end }: Call): Promise<Answer> {
    const { limit, timeout = DEFAULT_TIMEOUT_MS, contentType } = options;
    const authorization = digest?.authorization('POST', path);
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
        agent: connection,
        method: 'POST',
        host,
        port,
        path,
        timeout,
        headers: { 'content-type': contentType, ...(authorization === undefined ? {} : { authorization }) },
      });
      // Nothing is written before there is a socket.
      sent.on('socket', () => (connected = true));
      sent.on('timeout', () => sent.destroy(new DaemonError('timeout', LATE, { code: 'ETIMEDOUT' })));
      sent.on('error', fail);
      sent.on('response', (reply) => {
        collect(reply, limit, (bytes) => end.extend(bytes / SLOWEST_BYTES_A_MS)).then(
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

  /** @throws the reason where the call ends before a connection is free. */
  async #acquire(end: CallEnd): Promise<Line> {
    end.signal.throwIfAborted();
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#lines.length < MAX_CONNECTIONS) return this.#connect();
    let take: (line: Line) => void = () => undefined;
    const free = new Promise<Line>((resolve) => (take = resolve));
    this.#waiting.add(take);
    try {
      return await end.race(free);
    } catch (error) {
      this.#waiting.delete(take);
      // It may have been given away already.
      void free.then((line) => this.#release(line));
      throw error;
    }
  }

  #release(line: Line): void {
    const [next] = this.#waiting;
    if (next === undefined) return void this.#idle.push(line);
    this.#waiting.delete(next);
    next(line);
  }

  #connect(): Line {
    const line = new Line(this.#connector, this.#config.login);
    this.#lines.push(line);
    return line;
  }
}

/** Statuses that say that a request was not acted on. Others, of a gateway say, leave that open. */
const isRefusal = (status: number): boolean =>
  (status >= 300 && status < 500) || status === 501 || status === 503 || status === 505;

/** @throws DaemonError for any status but 200. */
function bodyOf({ status, body }: Answer, path: string): Buffer {
  if (status === 200) return body;
  if (status === 401) throw new DaemonError('unauthorized', 'the daemon wants other credentials', { status });
  throw new DaemonError('rejected', `the daemon answered ${path} with HTTP status ${status}`, {
    status,
    notTaken: isRefusal(status),
  });
}

const isBroken = (error: unknown): boolean =>
  error instanceof DaemonError && error.kind === 'unreachable' && BROKEN.has(error.code ?? '');

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

/** An attempt's failure as the caller sees it. */
function failureOf(error: unknown, { signal }: CallEnd): unknown {
  if (!(error instanceof Unanswered)) return error;
  const { cause, bytesLeft } = error;
  if (!(cause instanceof DaemonError))
    return signal.aborted && cause === signal.reason
      ? cause
      : new DaemonError('unreachable', 'no connection', { cause, notTaken: !bytesLeft });
  if (!bytesLeft || !cause.notTaken) return cause;
  return new DaemonError(cause.kind, cause.message, { cause, notTaken: false });
}
