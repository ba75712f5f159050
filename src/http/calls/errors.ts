/** Codes of the JSON-RPC 2.0 specification. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** Member `data` of an error, for clients that ask for it. */
export interface ErrorData {
  /** One English sentence for users with details that the message lacks. */
  readonly explanation: string;
}

/** A JSON-RPC error that the client receives. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: ErrorData | undefined;
  /** HTTP status of the answer, if the request is a single call. */
  readonly status: number;
  /** Value of the header `Retry-After` in that answer [s]. */
  readonly retryAfter: number | undefined;

  /** @param explanation value of `data.explanation`; absent: the error never has `data`. @param status absent: 200. */
  constructor(
    code: number,
    message: string,
    {
      explanation,
      status = 200,
      retryAfter,
      ...options
    }: ErrorOptions & {
      readonly explanation?: string;
      readonly status?: number;
      readonly retryAfter?: number;
    } = {},
  ) {
    super(message, options);
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
    this.data = explanation === undefined ? undefined : { explanation };
  }

  /** Returns this error with a sentence more in its explanation. */
  withNote(note: string): RpcError {
    const { code, message, status, retryAfter, cause, data } = this;
    return new RpcError(code, message, {
      ...{ cause, status, explanation: `${data?.explanation ?? message}; ${note}` },
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
  }
}
