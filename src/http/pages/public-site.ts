import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { peerAddress } from '../message/caller.js';
import { sendEvents, type EventSource } from '../message/event-stream.js';
import type { PageAnswer } from './pages.js';

/** Request to a site that anybody may read. */
export interface SiteRequest {
  /** Path in the form in which it was sent, without the query. */
  readonly path: string;
  /** Address of the peer of the connection. */
  readonly address: string;
  /** Value of the header `Accept-Language`. */
  readonly languages: string | undefined;
}

/** Answer with a page or another file. */
export interface SiteAnswer extends Omit<PageAnswer, 'body'> {
  readonly body: string | Uint8Array;
}

/** Answer with a stream of events. */
export interface SiteStream {
  readonly source: EventSource;
  /** Must be called once, when the stream has ended. */
  end(): void;
}

/** Site that anybody may read, without a login and under every host name. */
export interface PublicSite {
  /** Headers of every answer. */
  readonly headers: NonNullable<PageAnswer['headers']>;
  answer(request: SiteRequest): Promise<SiteAnswer | SiteStream>;
}

/** Returns a handler that answers GET and HEAD from a site, and every other method with 405. */
export const serveSite =
  (site: PublicSite, onBug: (error: unknown) => void): RequestListener =>
  (req, res) => {
    answer(site, req, res).catch((error: unknown) => {
      onBug(error);
      if (res.headersSent) res.destroy();
      else send(res, { status: 500, type: 'text/plain; charset=utf-8', body: '' });
    });
  };

async function answer(site: PublicSite, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { method, url = '', headers, socket } = req;
  for (const [name, value] of Object.entries(site.headers)) res.setHeader(name, value);
  if (method !== 'GET' && method !== 'HEAD') {
    res.setHeader('Allow', 'GET, HEAD');
    return send(res, { status: 405, type: 'text/plain; charset=utf-8', body: '' });
  }
  const answered = await site.answer({
    path: url.replace(/[?#].*$/s, ''),
    address: peerAddress(socket),
    languages: headers['accept-language'],
  });
  if (!('source' in answered)) return send(res, answered);
  try {
    if (method === 'HEAD') res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).end();
    else if (!socket.destroyed) await sendEvents(res, answered.source);
  } finally {
    answered.end();
  }
}

function send(res: ServerResponse, { status, type, body, headers = {} }: SiteAnswer): void {
  const text = typeof body === 'string' ? Buffer.from(body) : body;
  res.writeHead(status, { ...headers, 'Content-Type': type, 'Content-Length': text.length });
  // Node.js leaves the body out of answers to HEAD.
  res.end(text);
}
