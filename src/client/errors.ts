/** Failure of a call or of an event stream. No message contains parameters, results or credentials. */
export class WalletClientError extends Error {
  override readonly name: string = 'WalletClientError';
  /** Method of the call; `events` for a stream. */
  readonly method: string;

  constructor(method: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.method = method;
  }
}

/** `data` member of an error of the server. */
export interface WalletRpcErrorData {
  /** One sentence that adds detail to the message. */
  readonly explanation: string;
}

/** Error that the server answers a call with. Its message is the server's. */
export class WalletRpcError extends WalletClientError {
  override readonly name = 'WalletRpcError';
  /** Error code of `monero-wallet-rpc`, or of this server below -53. */
  readonly code: number;
  readonly data: WalletRpcErrorData | undefined;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Time after which the server accepts the call again [s]; undefined if the answer has none. */
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

/** Answer that is not JSON-RPC: a refused login (401), a missing path (404), an error of a proxy. */
export class WalletHttpError extends WalletClientError {
  override readonly name = 'WalletHttpError';
  readonly status: number;
  /** Time after which the server accepts the call again [s]; undefined if the answer has none. */
  readonly retryAfter: number | undefined;

  constructor(method: string, status: number, text: string, retryAfter?: number) {
    super(method, text === '' ? `HTTP status ${status}` : `HTTP status ${status}: ${text}`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** No answer arrived, or only a part of one. */
export class WalletConnectionError extends WalletClientError {
  override readonly name: string = 'WalletConnectionError';
  /**
   * True if the server may have received the call, and may have done what it asks for. False if no byte of it was sent.
   */
  readonly mayHaveBeenReceived: boolean;

  constructor(method: string, message: string, mayHaveBeenReceived: boolean, options?: ErrorOptions) {
    super(method, message, options);
    this.mayHaveBeenReceived = mayHaveBeenReceived;
  }
}

/** No complete answer arrived within the `timeout` of the call. */
export class WalletTimeoutError extends WalletConnectionError {
  override readonly name = 'WalletTimeoutError';
}
