/** Options of a call. */
export interface CallOptions {
  /** Ends the call, which then throws the reason of the signal. The server may still do what the call asks for. */
  readonly signal?: AbortSignal | undefined;
  /** Longest time of the call with all its repetitions [ms]; 0: any. Absent: that of the client. */
  readonly timeout?: number | undefined;
}

/** Options of a call that makes a payment. */
export interface OrderOptions extends CallOptions {
  /**
   * Idempotency key, 1 to 255 bytes: the call is made once under it, however often it is repeated. With a key it is
   * repeated after an error of the connection.
   */
  readonly idempotencyKey?: string | undefined;
}
