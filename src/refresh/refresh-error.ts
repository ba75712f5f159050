import { DaemonError } from '../daemon/errors.js';
import { NewerBlock } from '../daemon/newer-block.js';
import type { RefreshFailure } from './messages.js';

/** Thrown by a refresh whose wallet is closed, or whose daemon is replaced. */
export class RefreshCancelled extends Error {
  override readonly name = 'RefreshCancelled';
}

/** Converts a failure that the refresh thread reported back into an error. */
export function toError({ kind, message, stack, code, block, isForeign = false }: RefreshFailure): Error {
  if (kind === 'cancelled') return new RefreshCancelled(message);
  if (block !== undefined) return new NewerBlock(block);
  if (kind !== undefined) return new DaemonError(kind, message, { code, isForeign });
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/**
 * Converts an error into a value that can be posted to another thread.
 * @param signal signal of the call; if it is aborted, the failure is `cancelled`.
 */
export function toFailure(error: unknown, signal?: AbortSignal): RefreshFailure {
  if (signal?.aborted === true) return { kind: 'cancelled', message: 'cancelled' };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof NewerBlock) return { kind: error.kind, message, block: error.block };
  if (error instanceof DaemonError) {
    const { kind, code, isForeign } = error;
    return { kind, message, ...(code === undefined ? {} : { code }), ...(isForeign ? { isForeign } : {}) };
  }
  return { message, ...(error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {}) };
}
