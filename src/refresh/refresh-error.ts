import { DaemonError } from '../daemon/errors.js';
import type { RefreshFailure } from './messages.js';

/** Thrown by a refresh whose wallet is closed, or whose daemon is replaced. */
export class RefreshCancelled extends Error {
  override readonly name = 'RefreshCancelled';
}

/** Converts a failure that the refresh thread reported back into an error. */
export function toError({ kind, message, stack, code }: RefreshFailure): Error {
  if (kind === 'cancelled') return new RefreshCancelled(message);
  if (kind !== undefined) return new DaemonError(kind, message, { code });
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
