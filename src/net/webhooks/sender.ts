import { systemClock } from '../../util/clock.js';
import { Agent, request, type ClientRequest, type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import { secureConnection, type Connect, type TlsOptions } from './connect.js';
import { parseRetryAfter } from './schedule.js';
import type { SignatureHeaders } from './signature.js';
import { parseTarget, TargetError, type Target } from './target.js';

/**
 * Cause of a failed attempt: a target that is not allowed, a name that is not resolved, no connection, TLS, a timeout,
 * a response that breaks off or is not HTTP, a status other than 2xx, a body that is too large, or an error of the
 * program.
 */
export type FailureReason =
  | 'target'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'response'
  | 'status'
  | 'too_large'
  | 'internal';

/**
 * Result of one attempt. `gone`: the receiver answered 410. `aborted`: the signal ended the attempt; whether the
 * receiver got the event is unknown.
 */
export type DeliveryResult =
  | { readonly kind: 'delivered'; readonly status: number }
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      readonly status?: number;
      /** Wait that the receiver requests [ms]. */
      readonly retryAfter?: number;
    }
  | { readonly kind: 'aborted' };

/** Event to be sent, with the headers that sign it. */
export interface DeliveryRequest {
  readonly headers: SignatureHeaders & { readonly traceparent?: string };
  /** JSON text, sent unchanged. */
  readonly body: string;
  /** Called at the end of the attempt if there was a response. */
  readonly onResponse?: (response: ResponseHead) => void;
}

/** Beginning of a response, of any status. */
export interface ResponseHead {
  readonly status: number;
  /** First 200 characters of its body, as far as they arrived. */
  readonly text: string;
}

/** Sends deliveries to one endpoint. */
export interface DeliverySender {
  /** Makes one attempt. Never rejects. */
  send(request: DeliveryRequest, signal: AbortSignal): Promise<DeliveryResult>;
  /** Closes idle connections, and aborts attempts to connect. */
  close(): void;
}

export interface SenderOptions {
  readonly url: string;
  readonly allowPrivate: boolean;
  readonly connect: Connect;
  readonly userAgent: string;
  readonly tls?: TlsOptions;
  /** Longest time from the start of an attempt to the end of the response [ms]. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;
/** Largest body of a delivery [bytes]. Source: Standard Webhooks 1.0.0, payload size. */
export const MAX_BODY_BYTES = 20_000;
/** Largest part of a response's body that is read [bytes]. */
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
/** Number of characters of a response's body in a {@link ResponseHead}. */
const HEAD_LENGTH = 200;
/** Largest size of these characters in UTF-8 [bytes]. */
const HEAD_BYTES = 4 * HEAD_LENGTH;
/** Time for which an idle connection is kept [ms]. */
const KEEP_ALIVE_MS = 30_000;
/** Largest number of connections to one endpoint: one for first attempts, one for retries. */
const MAX_CONNECTIONS = 2;

/** Error of a connection that could not be opened. */
class ConnectionError extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, cause: unknown) {
    super('no connection', { cause });
    this.reason = reason;
  }
}

/** Agent that keeps the connections to one target open. */
class DeliveryAgent extends Agent {
  readonly #target: Target;
  readonly #options: SenderOptions;
  readonly #closing = new AbortController();

  constructor(target: Target, options: SenderOptions) {
    super({
      keepAlive: true,
      maxSockets: MAX_CONNECTIONS,
      maxFreeSockets: MAX_CONNECTIONS,
      timeout: KEEP_ALIVE_MS,
    });
    this.#target = target;
    this.#options = options;
  }

  override createConnection(
    _options: ClientRequestArgs,
    done: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    this.#open().then(
      (socket) => done(null, socket),
      (error: unknown) => done(error as Error),
    );
  }

  override destroy(): void {
    this.#closing.abort();
    super.destroy();
  }

  /** Opens a connection. @throws ConnectionError */
  async #open(): Promise<Duplex> {
    const { host, port, secure } = this.#target;
    const { connect, tls = {}, timeoutMs = TIMEOUT_MS } = this.#options;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeoutMs)]);
    const raw = await connect(host, port, signal).catch((error: unknown) => {
      throw new ConnectionError(reasonOf(error), error);
    });
    if (!secure) return raw;
    return secureConnection(raw, host, tls, signal).catch((error: unknown) => {
      raw.destroy();
      throw new ConnectionError('tls', error);
    });
  }
}

/**
 * Returns the reason of a failed connection. Errors of name resolution are recognised by the name of the system call.
 */
function reasonOf(error: unknown): FailureReason {
  if (error instanceof TargetError) return 'target';
  const { syscall, code } = error as NodeJS.ErrnoException;
  const resolving = syscall === 'getaddrinfo' || code === 'ENOTFOUND' || code === 'EAI_AGAIN';
  return resolving ? 'dns' : 'connect';
}

/** Sends deliveries to one URL over HTTP/1.1. Redirects are not followed. */
export class HttpSender implements DeliverySender {
  readonly #options: SenderOptions;
  readonly #target: Target | undefined;
  readonly #agent: DeliveryAgent | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#target = allowedTarget(options);
    this.#agent = this.#target && new DeliveryAgent(this.#target, options);
  }

  async send(delivery: DeliveryRequest, signal: AbortSignal): Promise<DeliveryResult> {
    if (signal.aborted) return { kind: 'aborted' };
    if (this.#target === undefined || this.#agent === undefined) return { kind: 'failed', reason: 'target' };
    const body = Buffer.from(delivery.body, 'utf8');
    if (body.length > MAX_BODY_BYTES) return { kind: 'failed', reason: 'too_large' };
    const { userAgent, timeoutMs = TIMEOUT_MS } = this.#options;
    const { host, port, path, authority } = this.#target;
    const args: ClientRequestArgs = {
      agent: this.#agent,
      method: 'POST',
      host,
      port,
      path,
      maxHeaderSize: MAX_HEADER_BYTES,
      headers: {
        host: authority,
        'content-type': 'application/json',
        'content-length': body.length,
        'user-agent': userAgent,
        ...delivery.headers,
      },
    };
    return new Attempt(args, body, { timeoutMs, signal, onResponse: delivery.onResponse }).result;
  }

  close(): void {
    this.#agent?.destroy();
  }
}

function allowedTarget({ url, allowPrivate }: SenderOptions): Target | undefined {
  try {
    return parseTarget(url, allowPrivate);
  } catch (error) {
    if (error instanceof TargetError) return undefined;
    throw error;
  }
}

/** Error codes of an idle connection that the receiver has closed. */
const STALE_CODES = new Set(['ECONNRESET', 'EPIPE']);

/** One request and its response. */
class Attempt {
  readonly result: Promise<DeliveryResult>;
  readonly #args: ClientRequestArgs;
  readonly #body: Buffer;
  readonly #signal: AbortSignal;
  readonly #onResponse: DeliveryRequest['onResponse'];
  readonly #timer: NodeJS.Timeout;
  #request: ClientRequest | undefined;
  #settle: (result: DeliveryResult) => void = () => undefined;
  /** Status of the response; undefined until its headers were read. */
  #status: number | undefined;
  #retryAfter: number | undefined;
  /** First bytes of the response's body. */
  #head: Buffer = Buffer.alloc(0);

  constructor(
    args: ClientRequestArgs,
    body: Buffer,
    {
      timeoutMs,
      signal,
      onResponse,
    }: {
      readonly timeoutMs: number;
      readonly signal: AbortSignal;
      readonly onResponse: DeliveryRequest['onResponse'];
    },
  ) {
    this.#args = args;
    this.#body = body;
    this.#signal = signal;
    this.#onResponse = onResponse;
    this.result = new Promise((resolve) => (this.#settle = resolve));
    this.#timer = setTimeout(() => this.#fail('timeout'), timeoutMs);
    signal.addEventListener('abort', this.#abort);
    this.#start();
  }

  #start(): void {
    const sent = request(this.#args);
    this.#request = sent;
    sent.on('error', (error) => {
      if (sent === this.#request) this.#onError(error, sent.reusedSocket);
    });
    // Without an `error` event, a response with status 101 only closes the request.
    sent.on('close', () => {
      if (sent === this.#request) this.#fail('response');
    });
    sent.on('response', (reply) => {
      this.#status = reply.statusCode ?? 0;
      this.#retryAfter = parseRetryAfter(reply.headers['retry-after'], systemClock.now());
      let length = 0;
      reply.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (this.#onResponse !== undefined && this.#head.length < HEAD_BYTES)
          this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES - this.#head.length)]);
        // The status decides the result, so the rest of the body is not read.
        if (length > MAX_RESPONSE_BYTES) this.#answer();
      });
      reply.on('end', () => this.#answer(false));
      reply.on('error', () => this.#fail('response'));
    });
    sent.end(this.#body);
  }

  #onError(error: Error, reused: boolean): void {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof ConnectionError) return this.#fail(error.reason);
    // The receiver may have closed the idle connection at this moment: tries again on another connection.
    if (reused && this.#status === undefined && STALE_CODES.has(code ?? '')) return this.#start();
    this.#fail('response');
  }

  /** Ends the attempt with the result that the status means. @param destroy true: closes the connection. */
  #answer(destroy = true): void {
    const status = this.#status ?? 0;
    if (status < 200 || status > 299) return this.#fail('status', destroy);
    this.#end({ kind: 'delivered', status }, destroy);
  }

  /** Ends the attempt with a failure. If the response had a status other than 2xx, that is the reason. */
  #fail(reason: FailureReason, destroy = true): void {
    const status = this.#status;
    if (status === 410) return this.#end({ kind: 'gone' }, destroy);
    const refused = status !== undefined && (status < 200 || status > 299);
    this.#end(
      {
        kind: 'failed',
        reason: refused ? 'status' : reason,
        ...(status === undefined ? {} : { status }),
        ...(this.#retryAfter === undefined ? {} : { retryAfter: this.#retryAfter }),
      },
      destroy,
    );
  }

  readonly #abort = (): void => this.#end({ kind: 'aborted' }, true);

  #end(result: DeliveryResult, destroy: boolean): void {
    const sent = this.#request;
    this.#request = undefined;
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#abort);
    if (destroy) sent?.destroy();
    if (this.#status !== undefined) this.#onResponse?.({ status: this.#status, text: headText(this.#head) });
    this.#settle(result);
  }
}

/** Returns the first characters of a text in UTF-8, whose last character may be cut off. */
const headText = (head: Buffer): string => [...head.toString('utf8')].slice(0, HEAD_LENGTH).join('');
