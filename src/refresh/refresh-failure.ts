import { DaemonError } from '../daemon/errors.js';
import type { RefreshFailure } from './messages.js';

/**
 * Converts an error into a value that can be posted to another thread.
 * @param signal signal of the call; if it is aborted, the failure is `cancelled`.
 */
export function toFailure(error: unknown, signal?: AbortSignal): RefreshFailure {
  if (signal?.aborted === true) return { kind: 'cancelled', message: 'cancelled' };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof DaemonError)
    return { kind: error.kind, message, ...(error.code === undefined ? {} : { code: error.code }) };
  return { message, ...(error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {}) };
}
