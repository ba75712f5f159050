import { DaemonError } from '../../daemon/errors.js';
import { faultOf } from '../../model/wallet-error.js';

/** Returns the kind of a failed call or a wrong answer of the daemon; undefined for any other error. */
export function daemonFaultOf(error: unknown): string | undefined {
  if (error instanceof DaemonError) return error.kind;
  const kind = faultOf(error)?.kind;
  return kind === 'daemon_misbehaves' ? kind : undefined;
}
