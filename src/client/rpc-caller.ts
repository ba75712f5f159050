import { writeWholeJson } from '../util/json-writer.js';
import type { IncomingMessage } from 'node:http';
import { JsonError, type Json } from '../util/json.js';
import { Unanswered } from '../util/outbound/exchange.js';
import { Semaphore } from '../util/concurrency.js';
import type { CallOptions, ClientParams } from './call-options.js';
import {
  WalletConnectionError,
  WalletHttpError,
  WalletRpcError,
  WalletTimeoutError,
  type WalletRpcErrorData,
} from './errors.js';
import { parseExactly, readFirstLine, readText, retryAfterOf } from './answer.js';
import { CLOSED, TIMED_OUT, type HttpTransport } from './transport.js';

/**
 * Checks that a value can be written as JSON. @throws TypeError for a value of another type; RangeError for a number
 * that is not a safe integer.
 */
function assertJson(value: unknown, path: string): void {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value))
      throw new RangeError(`${path}: a number must be a safe integer; larger ones are bigint`);
  } else if (Array.isArray(value)) {
    for (const [i, item] of (value as unknown[]).entries()) {
      if (item === undefined) throw new TypeError(`${path}[${i}]: undefined`);
      assertJson(item, `${path}[${i}]`);
    }
  } else if (typeof value === 'object' && value !== null) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null)
      throw new TypeError(`${path}: not a plain object`);
    for (const [name, member] of Object.entries(value)) assertJson(member, `${path}.${name}`);
  } else if (typeof value === 'function' || typeof value === 'symbol')
    throw new TypeError(`${path}: a ${typeof value}`);
}

/**
 * Writes the JSON-RPC request of a call, with all digits of bigints.
 * @throws TypeError, RangeError whose message names the parameter, never its value.
 */
function requestText(method: string, params: ClientParams): string {
  assertJson(params, 'params');
  return writeWholeJson({ jsonrpc: '2.0', id: '0', method, params: params as Json });
}

/** A call, and whether it may be sent again after a connection error. */
export interface PreparedCall {
  readonly path: string;
  readonly method: string;
  readonly params: ClientParams;
  readonly isRepeatable: boolean;
}

export interface RpcCallerOptions {
  /** Longest time of a call without a timeout of its own [ms]; 0: unlimited. */
  readonly timeout: number;
  /** Largest number of repetitions of a call. */
  readonly retries: number;
  /** Longest time for which a call is repeated while its wallet is being opened [ms]. */
  readonly opening: number;
  /** Largest number of calls at one time. */
  readonly connections: number;
}

const FIRST_DELAY_MS = 200;
const DELAY_GROWTH = 4;
const MAX_DELAY_MS = 5_000;

/** Returns the time before a repetition [ms]: a random time between half of the full delay and the full delay. */
const delayBefore = (repetition: number): number =>
  Math.min(FIRST_DELAY_MS * DELAY_GROWTH ** (repetition - 1), MAX_DELAY_MS) * (1 - Math.random() / 2);

type JsonObject = { readonly [member: string]: Json | undefined };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const UNAVAILABLE = 503;
/** HTTP statuses of a proxy that does not reach the server, and of a server that cannot answer now. */
const PASSING: ReadonlySet<number> = new Set([502, UNAVAILABLE, 504]);

/** Code of the error of a call whose wallet is being opened, or whose server is starting: nothing of it has run. */
const OPENING = -69;
/** Code of the error of a call that was not passed on to the process that holds its wallet: nothing of it has run. */
const ELSEWHERE = -67;

/** True for an error of the server after which every call may be repeated. */
const hasNotRun = (error: unknown): error is WalletRpcError =>
  error instanceof WalletRpcError &&
  error.status === UNAVAILABLE &&
  (error.code === OPENING || error.code === ELSEWHERE);

/** True for an answer after which a call that may be repeated may succeed. */
const isPassing = (error: unknown): error is WalletRpcError | WalletHttpError =>
  (error instanceof WalletRpcError || error instanceof WalletHttpError) && PASSING.has(error.status);

/** Longest pause that the client adds to the one that an answer asks for [ms]. */
const MAX_ADDED_MS = 1_000;

/**
 * Returns the time before a repetition [ms]. @param retryAfter pause that the answer asks for [s]; undefined without one.
 */
const delayAfter = (retryAfter: number | undefined, repetition: number): number =>
  retryAfter === undefined
    ? delayBefore(repetition)
    : Math.max(Math.min(1000 * retryAfter, MAX_ASKED_MS), Math.min(delayBefore(repetition), MAX_ADDED_MS));

/** Repetitions of a call so far. */
interface Progress {
  failures: number;
  /** Answers that the wallet is being opened. */
  openings: number;
  /** Time of the first of these answers, on the clock of `performance.now` [ms]. */
  openSince: number | undefined;
}

/** Longest pause that a server may ask for before a repetition [ms]. */
const MAX_ASKED_MS = 60_000;

/**
 * Makes JSON-RPC calls. Repeats any call while its wallet is being opened, and a call that may be repeated after
 * connection errors, and while the server or a proxy before it is unavailable.
 */
export class RpcCaller {
  readonly #transport: HttpTransport;
  readonly #options: RpcCallerOptions;
  readonly #places: Semaphore;

  constructor(transport: HttpTransport, options: RpcCallerOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#places = new Semaphore(options.connections);
  }

  /**
   * Makes a call and returns the result as exact JSON, in which integers are bigints or safe numbers.
   * @throws WalletRpcError, WalletHttpError, WalletConnectionError, WalletTimeoutError, or the reason of the signal;
   * TypeError and RangeError for parameters that cannot be written as JSON.
   */
  async call(call: PreparedCall, { signal, timeout = this.#options.timeout }: CallOptions): Promise<Json> {
    const body = requestText(call.method, call.params);
    const end = this.#transport.begin({ signal, timeout });
    const progress: Progress = { failures: 0, openings: 0, openSince: undefined };
    let wasSent = false;
    try {
      for (;;)
        try {
          const once = (): Promise<Json> => this.#callOnce(call, body, end.signal);
          return await this.#places.run(once, end.signal);
        } catch (error) {
          wasSent ||= error instanceof Unanswered && error.maybeSent;
          const delay = end.signal.aborted ? undefined : this.#delayAfter(error, call, progress);
          if (delay === undefined) throw error;
          await end.pause(delay);
        }
    } catch (error) {
      throw shownError(call.method, error, end.signal, wasSent);
    } finally {
      end.release();
    }
  }

  /** Returns the time before the next repetition of a call [ms]; undefined if it is not repeated. */
  #delayAfter(error: unknown, { isRepeatable }: PreparedCall, progress: Progress): number | undefined {
    const { retries, opening } = this.#options;
    if (hasNotRun(error) && error.code === OPENING) {
      const now = performance.now();
      progress.openSince ??= now;
      if (now - progress.openSince >= opening) return undefined;
      return delayAfter(error.retryAfter, ++progress.openings);
    }
    const isPassed = isRepeatable && (error instanceof Unanswered || isPassing(error));
    if (!(hasNotRun(error) || isPassed) || ++progress.failures > retries) return undefined;
    return delayAfter(error instanceof Unanswered ? undefined : error.retryAfter, progress.failures);
  }

  async #callOnce({ method, path }: PreparedCall, body: string, signal: AbortSignal): Promise<Json> {
    const answer = await this.#transport.send({
      ...{ method: 'POST', path, body, signal },
      headers: { 'content-type': 'application/json', accept: 'application/json', 'error-details': 'yes' },
    });
    try {
      return await readAnswer(method, answer);
    } catch (error) {
      answer.destroy();
      throw error;
    }
  }
}

/** Converts an error to the error that the caller of the client receives. */
function shownError(
  method: string,
  error: unknown,
  { aborted, reason }: AbortSignal,
  wasSent: boolean,
): unknown {
  if (reason === TIMED_OUT)
    return new WalletTimeoutError(method, 'no complete answer within the timeout', wasSent);
  if (reason === CLOSED) return new WalletConnectionError(method, 'the client was closed', wasSent);
  if (aborted) return reason;
  if (!(error instanceof Unanswered)) return error;
  return new WalletConnectionError(method, error.message, wasSent, { cause: error.cause });
}

/** Reads the result in an answer. @throws WalletRpcError, WalletHttpError; Unanswered if the answer breaks off. */
async function readAnswer(method: string, answer: IncomingMessage): Promise<Json> {
  const { statusCode: status = 0, headers } = answer;
  const retryAfter = retryAfterOf(headers);
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    throw new WalletHttpError(method, status, await readFirstLine(answer), retryAfter);
  const text = await readText(answer);
  let reply: Json;
  try {
    reply = parseExactly(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new WalletHttpError(method, status, 'the answer is not JSON', retryAfter);
  }
  const { result, error } = isObject(reply) ? reply : {};
  if (isObject(error)) throw new WalletRpcError(method, errorFields(error), { status, retryAfter });
  if (result === undefined)
    throw new WalletHttpError(method, status, 'the answer is not JSON-RPC', retryAfter);
  return result;
}

function errorFields({ code, message, data }: JsonObject): {
  code: number;
  message: string;
  data?: WalletRpcErrorData;
} {
  const explanation = isObject(data) ? data['explanation'] : undefined;
  return {
    code: Number(code),
    message: typeof message === 'string' ? message : '',
    ...(typeof explanation === 'string' ? { data: { explanation } } : {}),
  };
}
