import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { Connector, parseEndpoint, type DaemonSsl } from './connector.js';
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

interface Line {
  readonly client: Client;
  readonly digest: DigestSession | undefined;
}

/** POSTs over at most three kept connections, each with its own login. */
export class Transport {
  readonly #config: DaemonConfig;
  readonly #connector: Connector;
  readonly #origin: string;
  readonly #lines: Line[] = [];
  readonly #idle: Line[] = [];
  readonly #waiting: ((line: Line | undefined) => void)[] = [];
  #closed = false;

  /** @throws DaemonError for an address that cannot be one. */
  constructor(config: DaemonConfig) {
    const endpoint = parseEndpoint(config.address);
    this.#config = config;
    this.#connector = new Connector(endpoint, config.ssl, config.proxy);
    this.#origin = `http://${endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host}:${endpoint.port}`;
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

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) waiting(undefined);
    await Promise.all(this.#lines.map(({ client }) => client.destroy()));
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
      if (!isBrokenConnection(error) || options.signal?.aborted === true) throw error;
      return await this.#send(line, path, body, options);
    }
  }

  async #send(
    { client, digest }: Line,
    path: string,
    body: Uint8Array | string,
    { limit, timeout = DEFAULT_TIMEOUT_MS, signal, contentType }: PostOptions,
  ): Promise<Answer> {
    const authorization = digest?.authorization('POST', path);
    const reply = await client.request({
      method: 'POST',
      path,
      body,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      ...(signal === undefined ? {} : { signal }),
      headers: { 'content-type': contentType, ...(authorization === undefined ? {} : { authorization }) },
    });
    return {
      status: reply.statusCode,
      challenges: challengesOf(reply),
      body: await collect(reply.body, limit),
    };
  }

  async #acquire(): Promise<Line> {
    const line = this.#closed
      ? undefined
      : (this.#idle.pop() ??
        (this.#lines.length < MAX_CONNECTIONS
          ? this.#connect()
          : await new Promise<Line | undefined>((resolve) => this.#waiting.push(resolve))));
    if (line === undefined) throw new DaemonError('unreachable', 'the connection to the daemon is closed');
    return line;
  }

  #release(line: Line): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(line);
    else next(line);
  }

  #connect(): Line {
    const { login } = this.#config;
    const client = new Client(this.#origin, {
      pipelining: 1,
      keepAliveTimeout: 30_000,
      connect: (_options, done) => {
        this.#connector.open().then(
          (socket: Socket) => done(null, socket),
          (error: unknown) => done(error as Error, null),
        );
      },
    });
    const line = { client, digest: login === undefined ? undefined : new DigestSession(login) };
    this.#lines.push(line);
    return line;
  }
}

const isBrokenConnection = (error: unknown): boolean =>
  ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(String((error as { code?: unknown }).code));

function challengesOf({ headers }: Dispatcher.ResponseData): string[] {
  const header = headers['www-authenticate'];
  return header === undefined ? [] : Array.isArray(header) ? header : [header];
}

async function collect(stream: Dispatcher.ResponseData['body'], limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) {
      stream.destroy();
      throw new DaemonError('too_large', `the daemon's answer exceeds ${limit} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function toDaemonError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (error instanceof DaemonError || signal?.aborted) return error;
  const code = (error as { code?: unknown }).code;
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return new DaemonError('timeout', 'the daemon does not answer', { cause: error });
  return new DaemonError('unreachable', 'no connection', { cause: error });
}
