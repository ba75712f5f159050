/**
 * unreachable: no connection, or it broke. timeout: no answer in time; whether the daemon acted is unknown.
 * busy: it syncs. unauthorized: credentials wanted or wrong. malformed: an answer that breaks the protocol.
 * rejected: it understood and refused. too_large: an answer beyond our limit. tls: the certificate is not accepted.
 */
export type DaemonErrorKind =
  'unreachable' | 'timeout' | 'busy' | 'unauthorized' | 'malformed' | 'rejected' | 'too_large' | 'tls';

/** A call to a daemon that failed; the message quotes nothing that the daemon chose at length. */
export class DaemonError extends Error {
  override readonly name = 'DaemonError';
  readonly kind: DaemonErrorKind;

  constructor(kind: DaemonErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
