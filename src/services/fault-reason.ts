import { DaemonError } from '../daemon/errors.js';
import { WalletError } from '../wallet/fault.js';

/** Why something failed, as a part of a longer sentence. @throws the cause where nobody but the program is to blame. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof DaemonError) return cause.message;
  if (!(cause instanceof WalletError)) throw cause;
  return 'reason' in cause.fault ? cause.fault.reason : cause.fault.kind.replaceAll('_', ' ');
}
