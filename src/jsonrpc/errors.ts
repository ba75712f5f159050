/** Codes of the JSON-RPC 2.0 specification. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** `data` member of an error. */
export interface ErrorData {
  /** One English sentence for users that adds detail to the message. */
  readonly explanation: string;
}

/** JSON-RPC error that the client sees. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: ErrorData | undefined;

  /** @param explanation becomes `data.explanation`; absent: the error has no `data`. */
  constructor(
    code: number,
    message: string,
    { explanation, ...options }: ErrorOptions & { readonly explanation?: string } = {},
  ) {
    super(message, options);
    this.code = code;
    this.data = explanation === undefined ? undefined : { explanation };
  }
}
