import type { IncomingMessage } from 'node:http';

const given = new WeakMap<IncomingMessage, AsyncIterable<Uint8Array>>();

/** Replaces the body that the handlers of a request read: a part of it was read before, or it is checked while it is read. */
export const giveBody = (req: IncomingMessage, body: AsyncIterable<Uint8Array>): void =>
  void given.set(req, body);

/** Returns the body of a request in chunks, as they arrive. Keeps the connection open if it is not read to the end. */
export const bodyOf = (req: IncomingMessage): AsyncIterable<Uint8Array> =>
  given.get(req) ?? req.iterator({ destroyOnReturn: false });
