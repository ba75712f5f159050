import type { Json } from '../../util/json.js';

/** Codes of the JSON-RPC 2.0 specification. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** Facts of an error for programs, by name: the names stand before or after `explanation` in the alphabet. */
export type ErrorFacts = Readonly<Record<string, Json>>;

/** Member `data` of an error, for clients that ask for it; with the facts of some errors. */
export interface ErrorData {
  /** One English sentence for users with details that the message lacks. */
  readonly explanation: string;
  readonly [fact: string]: Json;
}

/** Members of an error beside code and message. */
interface ErrorMembers extends ErrorOptions {
  /** Value of `data.explanation`; absent: the error never has `data`. */
  readonly explanation?: string;
  /** Further members of `data`. */
  readonly facts?: ErrorFacts;
  /** HTTP status of the answer; absent: 200. */
  readonly status?: number;
  /** Value of the header `Retry-After` [s]. */
  readonly retryAfter?: number;
}

/** A JSON-RPC error that the client receives. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: ErrorData | undefined = undefined;
  /** HTTP status of the answer, if the request is a single call. */
  readonly status: number;
  /** Value of the header `Retry-After` in that answer [s]. */
  readonly retryAfter: number | undefined;

  constructor(
    code: number,
    message: string,
    { explanation, facts = {}, status = 200, retryAfter, ...options }: ErrorMembers = {},
  ) {
    super(message, options);
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
    if (explanation === undefined) return;
    const members = Object.entries({ ...facts, explanation }).sort(([a], [b]) => (a < b ? -1 : 1));
    this.data = { ...Object.fromEntries(members), explanation };
  }

  /** Returns this error with a sentence more in its explanation. */
  withNote(note: string): RpcError {
    const { code, message, status, retryAfter, cause, data } = this;
    const { explanation = message, ...facts } = data ?? {};
    return new RpcError(code, message, {
      ...{ cause, status, facts, explanation: `${explanation}; ${note}` },
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
  }
}
