/**
 * unreachable: no connection, or it broke. timeout: no answer in time. busy: the daemon is syncing. unauthorized:
 * credentials are missing or wrong. malformed: the answer does not follow the protocol. rejected: the daemon refused
 * the request. too_large: the answer exceeds our limit. tls: the certificate is not accepted.
 */
export type DaemonErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'busy'
  | 'unauthorized'
  | 'malformed'
  | 'rejected'
  | 'too_large'
  | 'tls';

export interface DaemonErrorOptions extends ErrorOptions {
  /** Default: true for the kinds `busy`, `unauthorized` and `tls`. */
  readonly notTaken?: boolean;
  /** HTTP status of an answer other than 200. */
  readonly status?: number;
  /** Default: the code of the cause. */
  readonly code?: string | undefined;
}

/** Kinds of failures that occur before a daemon acts on a request. */
const NEVER_TAKEN: ReadonlySet<DaemonErrorKind> = new Set(['busy', 'unauthorized', 'tls']);

/** A call to a daemon failed. The message quotes at most short texts of the daemon. */
export class DaemonError extends Error {
  override readonly name = 'DaemonError';
  readonly kind: DaemonErrorKind;
  /**
   * True if the request certainly had no effect: none of its bytes were sent, or the daemon refused it. If false, a
   * payment may have been relayed.
   */
  readonly notTaken: boolean;
  /** HTTP status of an answer other than 200. */
  readonly status?: number;
  /** Error code of the cause, such as `ECONNREFUSED`. */
  readonly code?: string;

  constructor(
    kind: DaemonErrorKind,
    message: string,
    { notTaken, status, code, ...options }: DaemonErrorOptions = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.notTaken = notTaken ?? NEVER_TAKEN.has(kind);
    if (status !== undefined) this.status = status;
    const anyCode = code ?? errorCode(options.cause);
    if (anyCode !== undefined) this.code = anyCode;
  }
}

/** Returns the code of an error, or of its nearest cause that has one. */
export function errorCode(error: unknown): string | undefined {
  for (let at = error; typeof at === 'object' && at !== null; at = 'cause' in at ? at.cause : undefined)
    if ('code' in at && typeof at.code === 'string') return at.code;
  return undefined;
}
