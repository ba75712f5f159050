import { EmptyText, isObject, JsonError, type Json } from '../../util/json.js';
import { EncodedJson, JsonWriter, writeJson, type Writable } from '../../util/json-writer.js';
import { didYouMean } from '../../util/nearest-name.js';
import type { RequestTrace } from '../../util/trace.js';
import type { Caller } from '../message/caller.js';
import { StreamedJson } from './json-rows.js';
import { INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, RpcError } from './errors.js';
import { FULL_LOGIN } from '../login/authentication.js';
import { readRequest, type ReadRequest, type RequestRules, type SizeOf } from '../message/request-body.js';

/** Facts about the HTTP request of a call. */
export interface CallOrigin {
  /** Name in the path of the request; absent for the path without a name. */
  readonly target?: string;
  /** Key in the header `Idempotency-Key`. */
  readonly idempotencyKey?: string;
  /** True if the client asks for `error.data`. */
  readonly errorDetails?: boolean;
  /** Client of the request; absent in tests of the protocol. */
  readonly caller?: Caller;
  /** Trace that the request belongs to; absent without a valid `traceparent`. */
  readonly trace?: RequestTrace;
  /** Time at which the request had arrived, on the clock of `performance.now` [ms]; absent outside a request. */
  readonly arrived?: number;
}

/** Runs one call. @throws RpcError for an error that the client sees; any other error is a bug. */
export type Call = (
  method: string,
  params: Json | undefined,
  origin: CallOrigin,
) => Promise<Writable | StreamedJson>;

/** Answer to a request, with its HTTP status. */
export interface DispatchedAnswer {
  readonly status: number;
  /** Value of the header `Retry-After` [s]. */
  readonly retryAfter?: number;
  readonly body: AnswerText;
}

/** Text of an answer in pieces: complete, or page by page as the pages are read. */
export type AnswerText = readonly Uint8Array[] | AsyncIterable<readonly Uint8Array[]>;

export interface DispatcherParts {
  readonly call: Call;
  /** Called with each bug; the client receives no details of it. */
  readonly onBug: (method: string, error: unknown) => void;
  /** Encodes the complete text of an answer; absent: UTF-8. */
  readonly encode?: (text: string) => Uint8Array;
  /** Returns the size class of a method's requests; absent: requests of all methods may be long. */
  readonly sizeOf?: SizeOf;
  /**
   * Refuses a large request before its body is read completely. @param method undefined until the name was read.
   * @throws RpcError
   */
  readonly admit?: (method: string | undefined, origin: CallOrigin) => void;
  /** True: errors have `data` for every client; absent: errors have `data` only for clients that ask for it. */
  readonly errorDetails?: boolean;
}

/** Largest number of calls in one batch; they run one after another. */
const MAX_BATCH = 100;

/**
 * Length of a batch's answer from which its further calls are refused, and largest length of a result in a batch that
 * would be streamed [bytes]: the answer of a batch is in memory until all calls have run, and perhaps until the client
 * has read it.
 */
const MAX_BATCH_ANSWER = 8 * 1024 * 1024;

/**
 * Error if an answer cannot be written although its calls have run, which is a bug. The client must not conclude that
 * the calls were refused. `cause` is the bug.
 */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
}

/** A parsed request; its answer can be written. */
interface ReadCall {
  /** Id in JSON form; undefined for a notification. */
  readonly id: string | undefined;
  /** Name of the method; undefined for an invalid request. */
  readonly method: string | undefined;
  readonly params: Json | undefined;
}

/** Id, in JSON form, of the answer to a request whose id is unknown. */
const NO_ID = '0';

/**
 * Parses one request. @param defaultId id of a request without one; undefined: such a request is a notification.
 * @throws RangeError for an id that JSON cannot represent.
 */
function readCall(request: Json, defaultId: string | undefined): ReadCall {
  if (!isObject(request)) return { id: NO_ID, method: undefined, params: undefined };
  const { id: given, method, params } = request;
  const id = given === undefined || given === null ? defaultId : writeJson(given);
  if (typeof method !== 'string') return { id: id ?? NO_ID, method: undefined, params };
  return { id, method, params };
}

type Outcome = { readonly result: Writable } | RpcError;

type Run<O> = (method: string, params: Json | undefined, origin: CallOrigin) => Promise<O>;

// The members are in alphabetical order, as in the reference, since some clients compare whole texts. Some clients
// refuse an error with members other than code and message, so it has `data` only for clients that ask for it.
function writeAnswer(w: JsonWriter, id: string, outcome: Outcome, errorDetails: boolean): JsonWriter {
  if (!(outcome instanceof RpcError)) return writeHead(w, id).value(outcome.result).raw('}');
  const { code, data, message } = outcome;
  const error = errorDetails && data !== undefined ? { code, data: { ...data }, message } : { code, message };
  return w.raw('{"error":').value(error).raw(`,"id":${id},"jsonrpc":"2.0"}`);
}

const writeHead = (w: JsonWriter, id: string): JsonWriter => w.raw(`{"id":${id},"jsonrpc":"2.0","result":`);

async function* streamed(id: string, result: StreamedJson): AsyncGenerator<readonly Uint8Array[]> {
  let head = writeHead(new JsonWriter(), id).pieces();
  for await (const page of result) {
    yield [...head, ...page];
    head = [];
  }
  yield [Buffer.from('}')];
}

/**
 * Reads a JSON-RPC request or batch, runs its calls and writes the answer. A call runs only if its answer can be
 * written: all ids of a batch are encoded before its first call runs.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /**
   * Answers one request or batch. @param body UTF-8 text, complete if it is short, or in chunks as they arrive.
   * @returns the answer; undefined for a batch of notifications. The iteration over an answer in pages throws an
   * RpcError, or a bug, if a later page cannot be read.
   * @throws RequestTooLarge and the errors of `body`, before any call runs; AnswerLost afterwards.
   */
  async answer(
    body: Promise<Uint8Array> | AsyncIterable<Uint8Array>,
    origin: CallOrigin = {},
  ): Promise<DispatchedAnswer | undefined> {
    let read: ReadRequest;
    try {
      read = await readRequest(body, this.#rulesFor(origin));
    } catch (error) {
      if (error instanceof EmptyText) return this.refusal(INVALID_REQUEST, 'Invalid Request');
      if (error instanceof JsonError) return this.refusal(PARSE_ERROR, 'Parse error');
      if (error instanceof RpcError) return this.#write(NO_ID, error, origin);
      throw error;
    }
    try {
      return await this.#answerTo(read.request, { ...origin, arrived: performance.now() });
    } catch (cause) {
      throw new AnswerLost('the answer cannot be written', { cause });
    } finally {
      read.release();
    }
  }

  #rulesFor(origin: CallOrigin): RequestRules {
    const { sizeOf = () => 'long-list', admit } = this.#parts;
    const login = origin.caller?.login;
    return {
      sizeOf,
      ...(login === undefined || login === FULL_LOGIN ? {} : { client: login.name }),
      ...(admit === undefined ? {} : { admit: (method) => admit(method, origin) }),
    };
  }

  /** Writes the answer to a request that cannot be read. */
  refusal(code: number, message: string, status = 200): DispatchedAnswer {
    return this.#write(NO_ID, new RpcError(code, message, { status }), {});
  }

  async #answerTo(request: Json, origin: CallOrigin): Promise<DispatchedAnswer | undefined> {
    if (Array.isArray(request) && request.length > 0)
      return this.#answerBatch(request as readonly Json[], origin);
    // Source: portable_storage_from_json.h `load_from_json`, whose outermost value is an object; batches are ours.
    if (!isObject(request)) return this.refusal(PARSE_ERROR, 'Parse error');
    const call = readCall(request, NO_ID);
    // `encode` needs the complete text, so only UTF-8 is written page by page.
    const run = this.#parts.encode === undefined ? this.#run : this.#runWithin(Infinity);
    const outcome = await this.#outcomeOf(call, run, origin);
    const { id = NO_ID } = call;
    return outcome instanceof StreamedJson
      ? { status: 200, body: streamed(id, outcome) }
      : this.#write(id, outcome, origin);
  }

  async #answerBatch(batch: readonly Json[], origin: CallOrigin): Promise<DispatchedAnswer | undefined> {
    if (batch.length > MAX_BATCH)
      return this.refusal(INVALID_REQUEST, `a batch holds 1 to ${MAX_BATCH} requests`);
    if (origin.idempotencyKey !== undefined)
      return this.refusal(INVALID_REQUEST, 'the header Idempotency-Key is for a single call', 400);
    const calls = batch.map((item) => readCall(item, undefined));
    const answers: Uint8Array[] = [];
    let length = 0;
    for (const call of calls) {
      const outcome =
        length < MAX_BATCH_ANSWER
          ? await this.#outcomeOf(call, this.#runWithin(MAX_BATCH_ANSWER - length), origin)
          : batchIsFull();
      if (call.id === undefined) continue;
      const w = new JsonWriter().raw(answers.length === 0 ? '[' : ',');
      for (const piece of writeAnswer(w, call.id, outcome, this.#hasDetails(origin)).pieces()) {
        answers.push(piece);
        length += piece.length;
      }
    }
    if (answers.length === 0) return undefined;
    const whole = new EncodedJson([...answers, Buffer.from(']')]);
    return { status: 200, body: this.#encode(new JsonWriter().value(whole)) };
  }

  #hasDetails({ errorDetails = false }: CallOrigin): boolean {
    return errorDetails || this.#parts.errorDetails === true;
  }

  #write(id: string, outcome: Outcome, origin: CallOrigin): DispatchedAnswer {
    const { status, retryAfter } = outcome instanceof RpcError ? outcome : { status: 200 };
    return {
      status,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      body: this.#encode(writeAnswer(new JsonWriter(), id, outcome, this.#hasDetails(origin))),
    };
  }

  #encode(w: JsonWriter): readonly Uint8Array[] {
    const { encode } = this.#parts;
    return encode === undefined ? w.pieces() : [encode(w.toString())];
  }

  #outcomeOf<O>({ method, params }: ReadCall, run: Run<O>, origin: CallOrigin): Promise<O | RpcError> {
    return method === undefined ? Promise.resolve(invalidRequest()) : run(method, params, origin);
  }

  readonly #run: Run<Outcome | StreamedJson> = async (method, params, origin) => {
    try {
      const result = await this.#parts.call(method, params, origin);
      return result instanceof StreamedJson ? result : { result };
    } catch (error) {
      return this.#failed(method, error);
    }
  };

  /**
   * Returns a function that runs a call and reads its whole result, unless the result would be streamed and is longer
   * than `limit` [bytes].
   */
  #runWithin(limit: number): Run<Outcome> {
    return async (method, params, origin) => {
      const outcome = await this.#run(method, params, origin);
      if (!(outcome instanceof StreamedJson)) return outcome;
      try {
        const result = await outcome.whole(limit);
        return result === undefined ? tooLongForBatch() : { result };
      } catch (error) {
        return this.#failed(method, error);
      }
    };
  }

  #failed(method: string, error: unknown): RpcError {
    if (error instanceof RpcError) return error;
    this.#parts.onBug(method, error);
    return new RpcError(INTERNAL_ERROR, 'Internal error');
  }
}

const invalidRequest = (): RpcError => new RpcError(INVALID_REQUEST, 'Invalid Request');

const batchIsFull = (): RpcError =>
  new RpcError(INVALID_REQUEST, 'this call did not run: the answers of the batch before it are too long');

const tooLongForBatch = (): RpcError =>
  new RpcError(INVALID_REQUEST, 'the result is too long for a batch: send this call by itself');

/**
 * Creates the error of a call whose method is unknown. The message is the one of the reference; the explanation suggests
 * a method with a similar name. @param known names of all methods.
 */
export const methodNotFound = (name: string, known: readonly string[]): RpcError =>
  new RpcError(METHOD_NOT_FOUND, 'Method not found', {
    explanation: `there is no such method${didYouMean(name, known)}`,
  });

/** Outcome of a call: its result, or the error that it threw. */
export type CallOutcome = { readonly result: Writable | StreamedJson } | { readonly error: unknown };

/** Records that a call begins. @returns a function that records its outcome. */
export type CallObserver = (
  method: string,
  params: Json | undefined,
  origin: CallOrigin,
) => (outcome: CallOutcome) => void;

/**
 * Wraps a call function with an observer. An error of the observer is reported as a bug, and the call is answered
 * nevertheless: the call has run, and its client must receive the result.
 */
export const observed =
  (call: Call, observe: CallObserver, onBug: (error: unknown, method: string) => void): Call =>
  async (method, params, origin) => {
    const note = observe(method, params, origin);
    const settle = (outcome: CallOutcome): void => {
      try {
        note(outcome);
      } catch (error) {
        onBug(error, method);
      }
    };
    try {
      const result = await call(method, params, origin);
      settle({ result });
      return result;
    } catch (error) {
      settle({ error });
      throw error;
    }
  };
