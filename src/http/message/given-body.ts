import type { IncomingMessage } from 'node:http';
import { joinBytes } from '../../util/bytes.js';
import { SHORT_BYTES } from './request-body.js';

const given = new WeakMap<IncomingMessage, AsyncIterable<Uint8Array>>();

/** Replaces the body that the handlers of a request read: a part of it was read before, or it is checked while it is read. */
export const giveBody = (req: IncomingMessage, body: AsyncIterable<Uint8Array>): void =>
  void given.set(req, body);

/** Returns the body of a request in chunks, as they arrive. Keeps the connection open if it is not read to the end. */
export const bodyOf = (req: IncomingMessage): AsyncIterable<Uint8Array> =>
  given.get(req) ?? req.iterator({ destroyOnReturn: false });

/**
 * Reads a body whose declared length is short, the usual case, in half the time of {@link bodyOf}.
 * @returns undefined for any other body, and for a request that is lost. Rejects if the connection ends before the body.
 */
export function shortBodyOf(req: IncomingMessage): Promise<Uint8Array> | undefined {
  const length = Number(req.headers['content-length'] ?? NaN);
  if (!(length <= SHORT_BYTES) || given.has(req) || req.destroyed) return undefined;
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    req.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    req.on('end', () => resolve(joinBytes(chunks)));
    req.on('error', reject);
    req.on('close', () => isLost(req) && reject(new Error('the connection ended before the body')));
  });
}

/**
 * True if the connection of a request ended before the request was read to its end. It may have arrived completely: what
 * a handler has not read yet is lost with the connection.
 */
export const isLost = (req: IncomingMessage): boolean => req.destroyed && !req.readableEnded;
