import { DaemonError } from '../daemon/errors.js';
import type { RefreshFailure } from './messages.js';

/** A refresh that was stopped because its wallet closes or the daemon changes. */
export class RefreshCancelled extends Error {
  override readonly name = 'RefreshCancelled';
}

/** An error of the refresh thread, as this one throws it. */
export function toError({ kind, message, stack, code }: RefreshFailure): Error {
  if (kind === 'cancelled') return new RefreshCancelled(message);
  if (kind !== undefined) return new DaemonError(kind, message, { code });
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
