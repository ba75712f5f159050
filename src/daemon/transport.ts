import { Agent, request, type ClientRequestArgs, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Connector, parseEndpoint, type DaemonSsl, type Endpoint } from './connector.js';
import { DigestSession, type Credentials } from './digest-client.js';
import { DaemonError } from './errors.js';

/** Everything that a thread needs to speak to a daemon. Cloneable. */
export interface DaemonConfig {
  /** `host:port`, optionally with `http://` or `https://`. */
  readonly address: string;
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
  readonly signal?: AbortSignal | undefined;
  readonly contentType: string;
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
        done(new DaemonError('unreachable', CLOSED));
      },
      (error: unknown) => done(error as Error),
    );
  }

  override destroy(): void {
    this.#destroyed = true;
    super.destroy();
  }
}

interface Line {
  readonly connection: KeptConnection;
  readonly digest: DigestSession | undefined;
}

/** POSTs over at most three kept connections, each with its own login. */
export class Transport {
  readonly #config: DaemonConfig;
  readonly #connector: Connector;
  readonly #endpoint: Endpoint;
  readonly #lines: Line[] = [];
  readonly #idle: Line[] = [];
  readonly #waiting: ((line: Line | undefined) => void)[] = [];
  #closed = false;

  /** @throws DaemonError for an address that cannot be one. */
  constructor(config: DaemonConfig) {
    this.#config = config;
    this.#endpoint = parseEndpoint(config.address);
    this.#connector = new Connector(this.#endpoint, config.ssl, config.proxy);
  }

  /** @returns the body of a 200. @throws DaemonError */
  async post(path: string, body: Uint8Array | string, options: PostOptions): Promise<Buffer> {
    const line = await this.#acquire();
    try {
      let answer = await this.#sendTwice(line, path, body, options);
      if (answer.status === 401 && line.digest?.accept(answer.challenges))
        answer = await this.#send(line, path, body, options);
      if (answer.status === 401) throw new DaemonError('unauthorized', 'the daemon wants other credentials');
      if (answer.status !== 200)
        throw new DaemonError('rejected', `the daemon answered ${path} with HTTP status ${answer.status}`);
      return answer.body;
    } catch (error) {
      throw toDaemonError(error, options.signal);
    } finally {
      this.#release(line);
    }
  }

  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) waiting(undefined);
    for (const { connection } of this.#lines) connection.destroy();
  }

  /**
   * A kept connection may have been closed at the other end while nobody looked: one more attempt takes a fresh
   * one. Every call can be made twice; a transaction that a daemon has already is no news to it.
   */
  async #sendTwice(
    line: Line,
    path: string,
    body: Uint8Array | string,
    options: PostOptions,
  ): Promise<Answer> {
    try {
      return await this.#send(line, path, body, options);
    } catch (error) {
      if (this.#closed || !isBrokenConnection(error) || options.signal?.aborted === true) throw error;
      return await this.#send(line, path, body, options);
    }
  }

  #send(
    { connection, digest }: Line,
    path: string,
    body: Uint8Array | string,
    { limit, timeout = DEFAULT_TIMEOUT_MS, signal, contentType }: PostOptions,
  ): Promise<Answer> {
    const authorization = digest?.authorization('POST', path);
    const { host, port } = this.#endpoint;
    return new Promise((resolve, reject) => {
      const sent = request({
        agent: connection,
        method: 'POST',
        host,
        port,
        path,
        timeout,
        ...(signal === undefined ? {} : { signal }),
        headers: { 'content-type': contentType, ...(authorization === undefined ? {} : { authorization }) },
      });
      sent.on('timeout', () => sent.destroy(new DaemonError('timeout', 'the daemon does not answer')));
      sent.on('error', reject);
      sent.on('response', (reply) => {
        collect(reply, limit).then(
          (answer) =>
            resolve({
              status: reply.statusCode ?? 0,
              challenges: reply.headersDistinct['www-authenticate'] ?? [],
              body: answer,
            }),
          (error: Error) => {
            sent.destroy();
            reject(error);
          },
        );
      });
      sent.end(body);
    });
  }

  async #acquire(): Promise<Line> {
    const line = this.#closed
      ? undefined
      : (this.#idle.pop() ??
        (this.#lines.length < MAX_CONNECTIONS
          ? this.#connect()
          : await new Promise<Line | undefined>((resolve) => this.#waiting.push(resolve))));
    if (line === undefined) throw new DaemonError('unreachable', CLOSED);
    return line;
  }

  #release(line: Line): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(line);
    else next(line);
  }

  #connect(): Line {
    const { login } = this.#config;
    const connection = new KeptConnection(this.#connector);
    const line = { connection, digest: login === undefined ? undefined : new DigestSession(login) };
    this.#lines.push(line);
    return line;
  }
}

const isBrokenConnection = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE'].includes(String((error as { code?: unknown }).code));

async function collect(reply: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) throw new DaemonError('too_large', `the daemon's answer exceeds ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function toDaemonError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (error instanceof DaemonError || signal?.aborted) return error;
  return new DaemonError('unreachable', 'no connection', { cause: error });
}
