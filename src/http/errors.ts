/** Codes of the JSON-RPC 2.0 specification. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** `data` member of an error, for clients that ask for it. */
export interface ErrorData {
  /** One English sentence for users that adds detail to the message. */
  readonly explanation: string;
}

/** JSON-RPC error that the client sees. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: ErrorData | undefined;
  /** HTTP status of the answer to a single call. */
  readonly status: number;
  /** Header `Retry-After` of that answer [s]. */
  readonly retryAfter: number | undefined;

  /** @param explanation becomes `data.explanation`; absent: the error never has `data`. @param status default: 200. */
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
}
