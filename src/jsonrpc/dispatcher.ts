import { JsonError, parseJson, writeJson, type Json } from '../util/json.js';
import { INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, RpcError } from './errors.js';

/**
 * Runs one call. @throws RpcError for whatever the caller should be told; anything else is a bug.
 */
export type Call = (method: string, params: Json | undefined) => Promise<Json>;

export interface DispatcherParts {
  readonly call: Call;
  /** Told of every bug; the caller sees no details. */
  readonly onBug: (method: string, error: unknown) => void;
}

/** Calls of one batch, run one after the other. */
export const MAX_BATCH = 100;
const MAX_DEPTH = 100;

type Request = { readonly [key: string]: Json | undefined };

const isObject = (value: Json): value is Request =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// Members in alphabetical order, as upstream writes them: there are clients that compare whole texts.
const success = (id: Json, result: Json): string =>
  `{"id":${writeJson(id)},"jsonrpc":"2.0","result":${writeJson(result)}}`;

const failure = (id: Json, { code, message }: RpcError): string =>
  `{"error":${writeJson({ code, message })},"id":${writeJson(id)},"jsonrpc":"2.0"}`;

/** Turns the text of a request, or of a batch, into the text of the answer. */
export class Dispatcher {
  readonly #parts: DispatcherParts;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** @returns undefined where nothing is to be answered: a batch of notifications. */
  async answer(body: string): Promise<string | undefined> {
    let request: Json;
    try {
      request = parseJson(body, { maxDepth: MAX_DEPTH });
    } catch (error) {
      if (error instanceof JsonError) return failure(0n, new RpcError(PARSE_ERROR, 'Parse error'));
      throw error;
    }
    if (!Array.isArray(request)) return this.#one(request, 0n);
    const batch = request as readonly Json[];
    if (batch.length === 0 || batch.length > MAX_BATCH)
      return failure(0n, new RpcError(INVALID_REQUEST, `a batch holds 1 to ${MAX_BATCH} requests`));
    const answers: string[] = [];
    for (const item of batch) {
      const answer = await this.#one(item, undefined);
      if (answer !== undefined) answers.push(answer);
    }
    return answers.length === 0 ? undefined : `[${answers.join(',')}]`;
  }

  /** @param defaultId for a request without one; undefined makes it a notification. */
  async #one(request: Json, defaultId: bigint | undefined): Promise<string | undefined> {
    if (!isObject(request)) return failure(0n, new RpcError(INVALID_REQUEST, 'Invalid Request'));
    const { id: given, method, params } = request;
    const id = given === undefined || given === null ? defaultId : given;
    if (typeof method !== 'string')
      return failure(id ?? 0n, new RpcError(INVALID_REQUEST, 'Invalid Request'));
    try {
      const result = await this.#parts.call(method, params);
      return id === undefined ? undefined : success(id, result);
    } catch (error) {
      if (!(error instanceof RpcError)) this.#parts.onBug(method, error);
      const told = error instanceof RpcError ? error : new RpcError(INTERNAL_ERROR, 'Internal error');
      return id === undefined ? undefined : failure(id, told);
    }
  }
}

/** For a method that nobody defined. */
export const methodNotFound = (): RpcError => new RpcError(METHOD_NOT_FOUND, 'Method not found');
