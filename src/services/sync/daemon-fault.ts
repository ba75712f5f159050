import { DaemonError } from '../../daemon/errors.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';

/** Returns the kind of a failed call or a wrong answer of the daemon; undefined for any other error. */
export function daemonFaultOf(error: unknown): string | undefined {
  if (error instanceof DaemonError) return error.kind;
  const misbehaves = error instanceof WalletError && error.fault.kind === 'daemon_misbehaves';
  return misbehaves ? error.fault.kind : undefined;
}
