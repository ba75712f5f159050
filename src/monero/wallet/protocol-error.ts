/** Facts of an error that has several possible causes. */
export interface Reasoned {
  /** The cause, as one sentence. */
  readonly reason: string;
  /**
   * Message of wallet2.cpp or wallet_rpc_server.cpp for the same cause; absent if the reference has no such message.
   */
  readonly text?: string;
}

/**
 * Error of a request that the given keys or data do not allow. The message states the reason; `fault` has the kind and
 * the facts. Each module has a class of its own.
 */
export abstract class ProtocolError<F extends { readonly kind: string }> extends Error {
  readonly fault: F;

  constructor(fault: F, options?: ErrorOptions) {
    super('reason' in fault ? String(fault.reason) : fault.kind.replaceAll('_', ' '), options);
    this.fault = fault;
  }
}
