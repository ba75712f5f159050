import { DaemonError, type DaemonErrorKind } from '../../daemon/errors.js';
import { WalletError } from '../../wallet/model/wallet-error.js';

/** Failures that leave no way to the daemon; the others are about what it answered. */
const UNREACHABLE: ReadonlySet<DaemonErrorKind> = new Set(['unreachable', 'timeout', 'unauthorized', 'tls']);

export const isUnreachable = ({ kind }: DaemonError): boolean => UNREACHABLE.has(kind);

/** Names the failure of the operating system too, such as ECONNREFUSED, where the cause has one. */
export const describeDaemonError = ({ message, code }: DaemonError): string =>
  code === undefined || message.includes(code) ? message : `${message} (${code})`;

/** Cause of a failure, as a part of a longer sentence. */
export interface FaultReason {
  readonly reason: string;
  /** Upstream's message for it, where it has one. */
  readonly text?: string;
}

/** @throws the cause where it is a bug. */
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
