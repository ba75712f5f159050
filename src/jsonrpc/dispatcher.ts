import { JsonError, type Json } from '../util/json.js';
import { JsonWriter, type Writable } from '../util/json-writer.js';
import { StreamedJson } from './json-rows.js';
import { INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, RpcError } from './errors.js';
import { readRequest, type ReadRequest, type SizeOf } from './request-body.js';

/**
 * Runs one call. @param target name in the path of the request; absent: the path without one.
 * @throws RpcError for errors of the caller; any other error is a bug.
 */
export type Call = (
  method: string,
  params: Json | undefined,
  target: string | undefined,
) => Promise<Writable | StreamedJson>;

/** The text of an answer in pieces: all of them, or page by page as they are read. */
export type AnswerText = readonly Uint8Array[] | AsyncIterable<readonly Uint8Array[]>;

export interface DispatcherParts {
  readonly call: Call;
  /** Told of every bug; the caller sees no details. */
  readonly onBug: (method: string, error: unknown) => void;
  /** Bytes of an answer, from all of its text; absent: UTF-8. */
  readonly encode?: (text: string) => Uint8Array;
  /** Absent: a request of any method may be long. */
  readonly sizeOf?: SizeOf;
}

/** Calls of one batch, run one after the other. */
export const MAX_BATCH = 100;

type Request = { readonly [key: string]: Json | undefined };

const isObject = (value: Json): value is Request =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Outcome = { readonly result: Writable } | RpcError;

/** Answers one call; undefined for a notification. */
interface Answered<Of = Outcome> {
  readonly id: Json;
  readonly outcome: Of;
}

type Run<Of> = (method: string, params: Json | undefined, target: string | undefined) => Promise<Of>;

// Members in alphabetical order, as upstream writes them: there are clients that compare whole texts.
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

/** Turns the text of a request, or of a batch, into the text of the answer. */
export class Dispatcher {
  readonly #parts: DispatcherParts;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /**
   * @param body UTF-8, in chunks as they arrive. @param target name in the path of the request.
   * @returns the answer; undefined where nothing is to be answered: a batch of notifications. One that comes page by
   * page fails with what the rest of it fails with: an RpcError, or a bug.
   * @throws RequestTooLarge, and what `body` fails with.
   */
  async answer(body: AsyncIterable<Uint8Array>, target?: string): Promise<AnswerText | undefined> {
    let read: ReadRequest;
    try {
      read = await readRequest(body, this.#parts.sizeOf ?? (() => 'long-list'));
    } catch (error) {
      if (error instanceof JsonError) return this.refusal(PARSE_ERROR, 'Parse error');
      throw error;
    }
    try {
      return await this.#answerTo(read.request, target);
    } finally {
      read.release();
    }
  }

  /** The answer to a request that cannot be read. */
  refusal(code: number, message: string): readonly Uint8Array[] {
    return this.#written({ id: 0n, outcome: new RpcError(code, message) });
  }

  async #answerTo(request: Json, target: string | undefined): Promise<AnswerText | undefined> {
    if (!Array.isArray(request)) {
      // Only UTF-8 can be made of a part of a text.
      const run = this.#parts.encode === undefined ? this.#run : this.#runToTheEnd;
      const answered = await this.#one(request, 0n, run, target);
      if (answered === undefined) return undefined;
      const { id, outcome } = answered;
      return outcome instanceof StreamedJson ? streamed(id, outcome) : this.#written({ id, outcome });
    }
    const batch = request as readonly Json[];
    if (batch.length === 0 || batch.length > MAX_BATCH)
      return this.refusal(INVALID_REQUEST, `a batch holds 1 to ${MAX_BATCH} requests`);
    const w = new JsonWriter();
    let before = '[';
    for (const item of batch) {
      const answered = await this.#one(item, undefined, this.#runToTheEnd, target);
      if (answered === undefined) continue;
      writeAnswer(w.raw(before), answered);
      before = ',';
    }
    return before === '[' ? undefined : this.#encoded(w.raw(']'));
  }

  #written(answered: Answered): readonly Uint8Array[] {
    const w = new JsonWriter();
    writeAnswer(w, answered);
    return this.#encoded(w);
  }

  #encoded(w: JsonWriter): readonly Uint8Array[] {
    const { encode } = this.#parts;
    return encode === undefined ? w.pieces() : [encode(w.toString())];
  }

  /** @param defaultId for a request without one; undefined makes it a notification. */
  async #one<Of>(
    request: Json,
    defaultId: bigint | undefined,
    run: Run<Of>,
    target: string | undefined,
  ): Promise<Answered<Of | RpcError> | undefined> {
    const invalid = new RpcError(INVALID_REQUEST, 'Invalid Request');
    if (!isObject(request)) return { id: 0n, outcome: invalid };
    const { id: given, method, params } = request;
    const id = given === undefined || given === null ? defaultId : given;
    if (typeof method !== 'string') return { id: id ?? 0n, outcome: invalid };
    const outcome = await run(method, params, target);
    return id === undefined ? undefined : { id, outcome };
  }

  readonly #run: Run<Outcome | StreamedJson> = async (method, params, target) => {
    try {
      const result = await this.#parts.call(method, params, target);
      return result instanceof StreamedJson ? result : { result };
    } catch (error) {
      return this.#failed(method, error);
    }
  };

  readonly #runToTheEnd: Run<Outcome> = async (method, params, target) => {
    const outcome = await this.#run(method, params, target);
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

/** For a method that nobody defined. */
export const methodNotFound = (): RpcError => new RpcError(METHOD_NOT_FOUND, 'Method not found');
