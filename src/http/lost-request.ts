import type { IncomingMessage } from 'node:http';

/**
 * True if the connection of a request ended before the request was read to its end. It may have arrived completely: what
 * a handler has not read yet is lost with the connection.
 */
export const isLost = (req: IncomingMessage): boolean => req.destroyed && !req.readableEnded;
