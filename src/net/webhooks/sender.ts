import { systemRng, uniformDouble, type Rng } from '../../util/random.js';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '../../util/clock.js';
import { OutboundAgent } from '../../util/outbound/agent.js';
import { CallEnd } from '../../util/outbound/call-end.js';
import { connectTls } from '../../util/outbound/connect.js';
import { exchange, Unanswered, type OutboundRequest } from '../../util/outbound/exchange.js';
import type { SignatureHeaders } from './signature.js';
import { parseTarget, TargetError, type Target, type Connect } from './target.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Delays before the attempts of one delivery, each counted from the failure of the attempt before [ms]. Source:
 * Standard Webhooks 1.0.0, retry schedule; the tenth attempt is made after 24 hours.
 */
export const DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Number of attempts after which a delivery fails for good. */
export const MAX_ATTEMPTS = DELAYS_MS.length;

/**
 * Largest part of a delay that is added at random, so that deliveries that failed in one outage are spread over a fifth
 * of the delay. A delay is never shortened: the documented delay is a lower bound.
 */
const JITTER = 0.2;

/** Longest wait that a receiver can request [ms]. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/**
 * Computes the wait before the next attempt [ms].
 * @param attempts number of attempts made, all of which failed.
 * @param retryAfter wait that the receiver requests [ms]; it can lengthen the delay up to 24 hours, and never shortens
 * it.
 * @returns undefined if no attempt is left.
 */
export function nextWait(
  attempts: number,
  retryAfter: number | undefined,
  rng: Rng = systemRng,
): number | undefined {
  const delay = DELAYS_MS[attempts];
  if (delay === undefined) return undefined;
  const wait = Math.round(delay * (1 + JITTER * uniformDouble(rng)));
  return Math.max(wait, Math.min(retryAfter ?? 0, MAX_RETRY_AFTER_MS));
}

/** Date in the preferred form of RFC 9110: `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Parses a `Retry-After` header: whole seconds or an HTTP date.
 * @param now Unix time [ms].
 * @returns the wait [ms], at least 0; undefined for any other text. Source: RFC 9110, 10.2.3.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text) * SECOND;
  const time = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

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
 * Result of one attempt. `gone`: the receiver answered 410. `aborted`: the signal ended the attempt; it is unknown
 * whether the receiver got the event.
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
  /** First 200 characters of the response's body, as far as they arrived. */
  readonly text: string;
}

/** Sends deliveries to one endpoint. */
export interface DeliverySender {
  /** Makes one attempt. Never rejects. */
  send(request: DeliveryRequest, signal: AbortSignal): Promise<DeliveryResult>;
  /** Closes idle connections, and aborts attempts to connect. */
  close(): void;
}

/** TLS settings for deliveries. */
export interface TlsOptions {
  /** Trusted CA certificates (PEM); absent: the authorities of Node.js. */
  readonly ca?: string;
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

/** Opens connections to the target of an endpoint. @throws ConnectionError */
async function open(
  { host, port, secure }: Target,
  { connect, tls = {} }: SenderOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const raw = await connect(host, port, signal).catch((error: unknown) => {
    throw new ConnectionError(reasonOf(error), error);
  });
  if (!secure) return raw;
  return connectTls(raw, { host, ...tls, ALPNProtocols: ['http/1.1'] }, signal).catch((error: unknown) => {
    throw new ConnectionError('tls', error);
  });
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
  readonly #agent: OutboundAgent | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    const target = allowedTarget(options);
    this.#target = target;
    const limits = {
      ...{ keep: MAX_CONNECTIONS, most: MAX_CONNECTIONS },
      ...{ idleMs: KEEP_ALIVE_MS, connectMs: options.timeoutMs ?? TIMEOUT_MS },
    };
    this.#agent = target && new OutboundAgent(limits, (_to, signal) => open(target, options, signal));
  }

  async send(delivery: DeliveryRequest, signal: AbortSignal): Promise<DeliveryResult> {
    if (signal.aborted) return { kind: 'aborted' };
    if (this.#target === undefined || this.#agent === undefined) return { kind: 'failed', reason: 'target' };
    const body = Buffer.from(delivery.body, 'utf8');
    if (body.length > MAX_BODY_BYTES) return { kind: 'failed', reason: 'too_large' };
    const { userAgent, timeoutMs = TIMEOUT_MS } = this.#options;
    const { host, port, path, authority } = this.#target;
    const end = new CallEnd(timeoutMs, () => new Error('no response in time'), [signal]);
    const outbound = {
      ...{ agent: this.#agent, method: 'POST', host, port, path, body, signal: end.signal },
      maxHeaderSize: MAX_HEADER_BYTES,
      headers: {
        host: authority,
        'content-type': 'application/json',
        'content-length': body.length,
        'user-agent': userAgent,
        ...delivery.headers,
      },
    };
    const response = new DeliveryResponse(delivery.onResponse !== undefined);
    try {
      await attempt(outbound, response);
      return response.result();
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      if (signal.aborted) return { kind: 'aborted' };
      const { cause } = error;
      if (cause instanceof ConnectionError) return response.failure(cause.reason);
      return response.failure(end.signal.aborted ? 'timeout' : 'response');
    } finally {
      end.release();
      if (response.status !== undefined)
        delivery.onResponse?.({ status: response.status, text: response.text });
    }
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

/**
 * Sends a request, and sends it again on another connection if the receiver closes the idle connection at this moment.
 * @throws Unanswered
 */
async function attempt(outbound: OutboundRequest, response: DeliveryResponse): Promise<void> {
  for (;;)
    try {
      return await exchange(outbound, (answer) => response.read(answer));
    } catch (error) {
      const { isReused, cause } = error as Unanswered;
      const { code = '' } = (cause ?? {}) as NodeJS.ErrnoException;
      if (!isReused || response.status !== undefined || !STALE_CODES.has(code)) throw error;
    }
}

/** Response to one attempt, as far as it arrived. */
class DeliveryResponse {
  /** Status; undefined until the headers were read. */
  status: number | undefined;
  #retryAfter: number | undefined;
  readonly #keepsHead: boolean;
  /** First bytes of the body. */
  #head: Buffer = Buffer.alloc(0);

  /** @param keepsHead true: the beginning of the body is kept. */
  constructor(keepsHead: boolean) {
    this.#keepsHead = keepsHead;
  }

  /** First characters of the body, in UTF-8, the last of which may be cut off. */
  get text(): string {
    return [...this.#head.toString('utf8')].slice(0, HEAD_LENGTH).join('');
  }

  /** Reads the response. The status decides the result, so the rest of a long body is not read. */
  async read(answer: IncomingMessage): Promise<void> {
    this.status = answer.statusCode ?? 0;
    this.#retryAfter = parseRetryAfter(answer.headers['retry-after'], systemClock.now());
    let length = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (this.#keepsHead && this.#head.length < HEAD_BYTES)
        this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES - this.#head.length)]);
      if (length > MAX_RESPONSE_BYTES) return;
    }
  }

  /** Returns the result that the status means. */
  result(): DeliveryResult {
    const { status = 0 } = this;
    return isSuccess(status) ? { kind: 'delivered', status } : this.failure('status');
  }

  /** Returns a failure. The reason is the status of the response if it is not 2xx. */
  failure(reason: FailureReason): DeliveryResult {
    const { status } = this;
    if (status === 410) return { kind: 'gone' };
    return {
      kind: 'failed',
      reason: status === undefined || isSuccess(status) ? reason : 'status',
      ...(status === undefined ? {} : { status }),
      ...(this.#retryAfter === undefined ? {} : { retryAfter: this.#retryAfter }),
    };
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;
