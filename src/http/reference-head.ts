import type { ServerResponse } from 'node:http';

/** Reason phrases of the reference that differ from the standard ones. Source: http_server_handlers_map2.h. */
const REASONS: Readonly<Record<number, string>> = { 200: 'Ok', 400: 'Bad request', 404: 'Not found' };

/** Sets status and content type exactly as the reference: Express would add a charset. */
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
