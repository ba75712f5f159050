import { DaemonError, type DaemonErrorKind } from '../../daemon/errors.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';

/** Kinds of failure without an answer from the daemon; the other kinds are bad answers. */
const UNREACHABLE: ReadonlySet<DaemonErrorKind> = new Set(['unreachable', 'timeout', 'unauthorized', 'tls']);

export const isUnreachable = ({ kind }: DaemonError): boolean => UNREACHABLE.has(kind);

/** Message of a daemon error, with the error code of the operating system (such as ECONNREFUSED) where it has one. */
export const describeDaemonError = ({ message, code }: DaemonError): string =>
  code === undefined || message.includes(code) ? message : `${message} (${code})`;

/** Cause of a failure, as a part of a longer sentence. */
export interface FaultReason {
  readonly reason: string;
  /** Upstream's message, where it has one. */
  readonly text?: string;
}

/** Describes a daemon or wallet error. @throws the cause itself where it is any other error. */
export function reasonOf(cause: unknown): FaultReason {
  if (cause instanceof DaemonError)
    return {
      reason: describeDaemonError(cause),
      ...(isUnreachable(cause) ? { text: 'no connection to daemon' } : {}),
      ...(cause.kind === 'busy' ? { text: 'daemon is busy' } : {}),
    };
  if (!(cause instanceof WalletError)) throw cause;
  const { fault } = cause;
  if (fault.kind === 'tx_rejected')
    return { reason: fault.reason, text: 'transaction was rejected by daemon' };
  if (!('reason' in fault)) return { reason: fault.kind.replaceAll('_', ' ') };
  return { reason: fault.reason, ...(fault.text === undefined ? {} : { text: fault.text }) };
}
