import { JsonError, type Json } from '../util/json.js';
import { JsonWriter, type Writable } from '../util/json-writer.js';
import type { Caller } from './caller.js';
import { StreamedJson } from './json-rows.js';
import { INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, RpcError } from './errors.js';
import { readRequest, type ReadRequest, type SizeOf } from './request-body.js';

/** Facts of the HTTP request that a call arrived with. */
export interface CallOrigin {
  /** Name in the path of the request; absent: the path without one. */
  readonly target?: string;
  /** Value of the header `Idempotency-Key`. */
  readonly idempotencyKey?: string;
  /** Absent in tests of the protocol. */
  readonly caller?: Caller;
}

/** Runs one call. @throws RpcError for errors that the client sees; anything else is a bug. */
export type Call = (
  method: string,
  params: Json | undefined,
  origin: CallOrigin,
) => Promise<Writable | StreamedJson>;

/** Answer to a request, with its HTTP status. */
export interface DispatchedAnswer {
  readonly status: number;
  /** Header `Retry-After` [s]. */
  readonly retryAfter?: number;
  readonly body: AnswerText;
}

/** Text of an answer in pieces: complete, or page by page while it is read. */
export type AnswerText = readonly Uint8Array[] | AsyncIterable<readonly Uint8Array[]>;

export interface DispatcherParts {
  readonly call: Call;
  /** Reports a bug; the client gets no details. */
  readonly onBug: (method: string, error: unknown) => void;
  /** Encodes the complete text of an answer; absent: UTF-8. */
  readonly encode?: (text: string) => Uint8Array;
  /** Size class of a method's requests; absent: requests of all methods may be long. */
  readonly sizeOf?: SizeOf;
}

/** Most calls of one batch; they run one after the other. */
export const MAX_BATCH = 100;

type Request = { readonly [key: string]: Json | undefined };

const isObject = (value: Json): value is Request =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Outcome = { readonly result: Writable } | RpcError;

interface Answered<O = Outcome> {
  readonly id: Json;
  readonly outcome: O;
}

type Run<O> = (method: string, params: Json | undefined, origin: CallOrigin) => Promise<O>;

// Members are in alphabetical order like upstream's: some clients compare whole texts.
function writeAnswer(w: JsonWriter, { id, outcome }: Answered): void {
  if (outcome instanceof RpcError) {
    const { code, data, message } = outcome;
    const error = data === undefined ? { code, message } : { code, data: { ...data }, message };
    w.raw('{"error":').value(error).raw(',"id":').value(id).raw(',"jsonrpc":"2.0"}');
  } else writeHead(w, id).value(outcome.result).raw('}');
}

const writeHead = (w: JsonWriter, id: Json): JsonWriter =>
  w.raw('{"id":').value(id).raw(',"jsonrpc":"2.0","result":');

async function* streamed(id: Json, result: StreamedJson): AsyncGenerator<readonly Uint8Array[]> {
  let head = writeHead(new JsonWriter(), id).pieces();
  for await (const page of result) {
    yield [...head, ...page];
    head = [];
  }
  yield [Buffer.from('}')];
}

/** Reads a JSON-RPC request or batch, runs its calls and writes the answer. */
export class Dispatcher {
  readonly #parts: DispatcherParts;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /**
   * @param body UTF-8, in chunks as they arrive.
   * @returns the answer; undefined for a batch of notifications. Iterating over an answer in pages throws an RpcError,
   * or a bug, when a later page cannot be read.
   * @throws RequestTooLarge, and the errors of `body`.
   */
  async answer(
    body: AsyncIterable<Uint8Array>,
    origin: CallOrigin = {},
  ): Promise<DispatchedAnswer | undefined> {
    let read: ReadRequest;
    try {
      read = await readRequest(body, this.#parts.sizeOf ?? (() => 'long-list'));
    } catch (error) {
      if (error instanceof JsonError) return this.refusal(PARSE_ERROR, 'Parse error');
      throw error;
    }
    try {
      return await this.#answerTo(read.request, origin);
    } finally {
      read.release();
    }
  }

  /** Writes the answer to a request that cannot be read. */
  refusal(code: number, message: string, status = 200): DispatchedAnswer {
    return this.#write({ id: 0n, outcome: new RpcError(code, message, { status }) });
  }

  async #answerTo(request: Json, origin: CallOrigin): Promise<DispatchedAnswer | undefined> {
    if (!Array.isArray(request)) {
      // `encode` needs the complete text: only UTF-8 is written page by page.
      const run = this.#parts.encode === undefined ? this.#run : this.#runToTheEnd;
      const answered = await this.#one(request, 0n, run, origin);
      if (answered === undefined) return undefined;
      const { id, outcome } = answered;
      return outcome instanceof StreamedJson
        ? { status: 200, body: streamed(id, outcome) }
        : this.#write({ id, outcome });
    }
    const batch = request as readonly Json[];
    if (batch.length === 0 || batch.length > MAX_BATCH)
      return this.refusal(INVALID_REQUEST, `a batch holds 1 to ${MAX_BATCH} requests`);
    if (origin.idempotencyKey !== undefined)
      return this.refusal(INVALID_REQUEST, 'the header Idempotency-Key is for a single call', 400);
    const w = new JsonWriter();
    let before = '[';
    for (const item of batch) {
      const answered = await this.#one(item, undefined, this.#runToTheEnd, origin);
      if (answered === undefined) continue;
      writeAnswer(w.raw(before), answered);
      before = ',';
    }
    return before === '[' ? undefined : { status: 200, body: this.#encode(w.raw(']')) };
  }

  #write(answered: Answered): DispatchedAnswer {
    const w = new JsonWriter();
    writeAnswer(w, answered);
    const { outcome } = answered;
    const { status, retryAfter } = outcome instanceof RpcError ? outcome : { status: 200 };
    return { status, ...(retryAfter === undefined ? {} : { retryAfter }), body: this.#encode(w) };
  }

  #encode(w: JsonWriter): readonly Uint8Array[] {
    const { encode } = this.#parts;
    return encode === undefined ? w.pieces() : [encode(w.toString())];
  }

  /**
   * Answers one call.
   * @param defaultId id of a request without one; undefined makes it a notification.
   * @returns undefined for a notification.
   */
  async #one<O>(
    request: Json,
    defaultId: bigint | undefined,
    run: Run<O>,
    origin: CallOrigin,
  ): Promise<Answered<O | RpcError> | undefined> {
    if (!isObject(request)) return { id: 0n, outcome: invalidRequest() };
    const { id: requestId, method, params } = request;
    const id = requestId === undefined || requestId === null ? defaultId : requestId;
    if (typeof method !== 'string') return { id: id ?? 0n, outcome: invalidRequest() };
    const outcome = await run(method, params, origin);
    return id === undefined ? undefined : { id, outcome };
  }

  readonly #run: Run<Outcome | StreamedJson> = async (method, params, origin) => {
    try {
      const result = await this.#parts.call(method, params, origin);
      return result instanceof StreamedJson ? result : { result };
    } catch (error) {
      return this.#failed(method, error);
    }
  };

  readonly #runToTheEnd: Run<Outcome> = async (method, params, origin) => {
    const outcome = await this.#run(method, params, origin);
    if (!(outcome instanceof StreamedJson)) return outcome;
    try {
      return { result: await outcome.whole() };
    } catch (error) {
      return this.#failed(method, error);
    }
  };

  #failed(method: string, error: unknown): RpcError {
    if (error instanceof RpcError) return error;
    this.#parts.onBug(method, error);
    return new RpcError(INTERNAL_ERROR, 'Internal error');
  }
}

const invalidRequest = (): RpcError => new RpcError(INVALID_REQUEST, 'Invalid Request');

/** Error of a call whose method is unknown. */
export const methodNotFound = (): RpcError => new RpcError(METHOD_NOT_FOUND, 'Method not found');
