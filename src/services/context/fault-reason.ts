import { DaemonError, type DaemonErrorKind } from '../../daemon/errors.js';
import { faultOf } from '../../model/wallet-error.js';

/** Kinds of errors without an answer of the daemon. */
const UNREACHABLE: ReadonlySet<DaemonErrorKind> = new Set(['unreachable', 'timeout', 'unauthorized', 'tls']);

/** True for an error without an answer from the daemon; another program may have answered in its place. */
export const isUnreachable = ({ kind, isForeign }: DaemonError): boolean =>
  UNREACHABLE.has(kind) || isForeign;

/**
 * Message of a daemon error, followed by the error code of the operating system (such as ECONNREFUSED) if it has one.
 */
export const describeDaemonError = ({ message, code }: DaemonError): string =>
  code === undefined || message.includes(code) ? message : `${message} (${code})`;

/** Cause of a failure, to be inserted into a longer sentence. */
export interface FaultReason {
  readonly reason: string;
  /** Message of the reference for the failure, if the reference has such a message. */
  readonly text?: string;
}

/** Returns the reason of a daemon error or a wallet error. @throws any other error unchanged. */
export function reasonOf(cause: unknown): FaultReason {
  if (cause instanceof DaemonError)
    return {
      reason: describeDaemonError(cause),
      ...(isUnreachable(cause) ? { text: 'no connection to daemon' } : {}),
      ...(cause.kind === 'busy' ? { text: 'daemon is busy' } : {}),
    };
  const fault = faultOf(cause);
  if (fault === undefined) throw cause;
  if (fault.kind === 'tx_rejected')
    return { reason: fault.reason, text: 'transaction was rejected by daemon' };
  if (!('reason' in fault)) return { reason: fault.kind.replaceAll('_', ' ') };
  return { reason: fault.reason, ...(fault.text === undefined ? {} : { text: fault.text }) };
}
