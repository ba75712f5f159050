/** Options of a call. */
export interface CallOptions {
  /**
   * Signal that ends the call, which then throws the reason of the signal. The server may still do the requested work.
   */
  readonly signal?: AbortSignal | undefined;
  /** Longest time of the call, including its repetitions [ms]; 0: unlimited; absent: the client's timeout. */
  readonly timeout?: number | undefined;
}

/** Options for a call that makes a payment. */
export interface OrderOptions extends CallOptions {
  /**
   * Idempotency key, 1 to 255 bytes: the server makes the payment only once, however often the call is repeated with
   * the same key. A call with a key is repeated after a connection error.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Parameters of a call; integers are bigints or safe numbers. Members that are undefined count as absent. */
export type ClientParams = { readonly [name: string]: unknown };

/** Value in a result, in the types of the client. */
export type ClientValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | ClientValue[]
  | { [member: string]: ClientValue };
