/** Error of a call or an event stream. No message contains parameters, results or credentials. */
export class WalletClientError extends Error {
  override readonly name: string = 'WalletClientError';
  /** Method of the failed call; `events` for a stream. */
  readonly method: string;

  constructor(method: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.method = method;
  }
}

/** Member `data` of an error that the server returned. */
export interface WalletRpcErrorData {
  /** One sentence with details that the message lacks. */
  readonly explanation: string;
}

/** Error that the server returned for a call, with the message of the server. */
export class WalletRpcError extends WalletClientError {
  override readonly name = 'WalletRpcError';
  /** Error code of `monero-wallet-rpc`; codes below -53 are codes of this server. */
  readonly code: number;
  readonly data: WalletRpcErrorData | undefined;
  /** HTTP status of the answer with the error. */
  readonly status: number;
  /** Time after which the server accepts the call again [s]; undefined if the answer has no such time. */
  readonly retryAfter: number | undefined;

  constructor(
    method: string,
    { code, message, data }: { code: number; message: string; data?: WalletRpcErrorData | undefined },
    { status, retryAfter }: { status: number; retryAfter?: number | undefined },
  ) {
    super(method, message);
    this.code = code;
    this.data = data;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** Error of an answer that is not JSON-RPC: a refused login (401), an unknown path (404), an error of a proxy. */
export class WalletHttpError extends WalletClientError {
  override readonly name = 'WalletHttpError';
  readonly status: number;
  /** Time after which the server accepts the call again [s]; undefined if the answer has no such time. */
  readonly retryAfter: number | undefined;

  constructor(method: string, status: number, text: string, retryAfter?: number) {
    super(method, text === '' ? `HTTP status ${status}` : `HTTP status ${status}: ${text}`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** Error of a call without a complete answer. */
export class WalletConnectionError extends WalletClientError {
  override readonly name: string = 'WalletConnectionError';
  /**
   * True if the server may have received the call, and may have done the requested work. False if no byte of the call
   * was sent.
   */
  readonly mayHaveBeenReceived: boolean;

  constructor(method: string, message: string, mayHaveBeenReceived: boolean, options?: ErrorOptions) {
    super(method, message, options);
    this.mayHaveBeenReceived = mayHaveBeenReceived;
  }
}

/** Error of a call without a complete answer within its `timeout`. */
export class WalletTimeoutError extends WalletConnectionError {
  override readonly name = 'WalletTimeoutError';
}
