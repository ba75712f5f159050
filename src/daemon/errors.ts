/**
 * unreachable: no connection, or it broke. timeout: no answer in time. busy: it syncs. unauthorized: credentials
 * wanted or wrong. malformed: an answer that breaks the protocol. rejected: it understood and refused. too_large: an
 * answer beyond our limit. tls: the certificate is not accepted.
 */
export type DaemonErrorKind =
  'unreachable' | 'timeout' | 'busy' | 'unauthorized' | 'malformed' | 'rejected' | 'too_large' | 'tls';

export interface DaemonErrorOptions extends ErrorOptions {
  /** Absent: only a busy daemon, a refused login and a refused certificate prove it. */
  readonly notTaken?: boolean;
  /** Of the answer, where it was not 200. */
  readonly status?: number;
  /** Absent: that of the cause. */
  readonly code?: string | undefined;
}

/** Failures before a daemon acts on a request. */
const NEVER_TAKEN: ReadonlySet<DaemonErrorKind> = new Set(['busy', 'unauthorized', 'tls']);

/** A call to a daemon that failed; the message quotes nothing that the daemon chose at length. */
export class DaemonError extends Error {
  override readonly name = 'DaemonError';
  readonly kind: DaemonErrorKind;
  /**
   * The request certainly had no effect: none of its bytes left, or the daemon refused it. Where this is false, a
   * payment may have been relayed.
   */
  readonly notTaken: boolean;
  /** HTTP status of an answer other than 200. */
  readonly status?: number;
  /** The system's name of the cause, such as `ECONNREFUSED`. */
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
    const named = code ?? errorCode(options.cause);
    if (named !== undefined) this.code = named;
  }
}

/** The system's name of an error, or of the nearest cause that has one. */
export function errorCode(error: unknown): string | undefined {
  for (let at = error; typeof at === 'object' && at !== null; at = 'cause' in at ? at.cause : undefined)
    if ('code' in at && typeof at.code === 'string') return at.code;
  return undefined;
}
