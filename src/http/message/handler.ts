import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Passes a request on to the next handler, or its error to the client. */
export type Next = (error?: unknown) => void;

/** Answers a request, or passes it on. Runs in Express and without it. */
export type Handler = (req: IncomingMessage, res: ServerResponse, next: Next) => void;

/**
 * Returns the value of a header that a request should have once; several headers of the name are joined with commas.
 * @param name name in lower case.
 */
export const headerOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};

/** Sets headers of an answer, in addition to headers that are set already. */
export function setHeaders(res: ServerResponse, headers: OutgoingHttpHeaders): void {
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) res.setHeader(name, value);
}

/** Sends a plain text, with the headers that Express would set. */
export function sendText(res: ServerResponse, status: number, text = ''): void {
  res.statusCode = status;
  res.setHeader('Content-Type', 'text/plain; charset=utf-8');
  if (text === '') return void res.end();
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

/**
 * Runs handlers one after another, each after the handler before it has passed the request on.
 * @param last called after all of them. @param onError called with an error that a handler throws or passes on.
 */
export function runHandlers(
  handlers: readonly Handler[],
  req: IncomingMessage,
  res: ServerResponse,
  last: () => void,
  onError: Next,
): void {
  let at = 0;
  const next: Next = (error) => {
    if (error !== undefined) return onError(error);
    const handler = handlers[at++];
    if (handler === undefined) return last();
    try {
      handler(req, res, next);
    } catch (thrown) {
      onError(thrown);
    }
  };
  next();
}

/** Reason phrases of the reference that differ from the standard phrases. Source: http_server_handlers_map2.h. */
const REASONS: Readonly<Record<number, string>> = { 200: 'Ok', 400: 'Bad request', 404: 'Not found' };

/** Sets status and content type exactly as the reference does: Express would add a charset. */
export function setHead(res: ServerResponse, status: number, type: string): void {
  const reason = REASONS[status];
  res.statusCode = status;
  res.setHeader('Content-Type', type);
  if (reason !== undefined) res.statusMessage = reason;
}

/**
 * Returns the CORS headers of every answer to an allowed origin. Source: http_protocol_handler.inl
 * `get_response_header`; `Vary` is added for caches.
 */
export const corsHeaders = (origin: string, isPreflight: boolean): Readonly<Record<string, string>> => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers': 'www-authenticate',
  ...(isPreflight ? { 'Access-Control-Allow-Headers': 'Content-Type, Authorization, X-Requested-With' } : {}),
  'Access-Control-Allow-Methods': 'POST, PUT, GET, OPTIONS',
  Vary: 'Origin',
});
