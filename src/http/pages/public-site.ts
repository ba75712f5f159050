import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { peerAddress } from '../message/caller.js';
import { sendEvents, type EventSource } from '../message/event-stream.js';
import { shortBodyOf } from '../message/request-body.js';
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
  /** Receives a form, from a page of this site; undefined if the path takes none. Absent: no path takes a form. */
  submit?(request: SiteRequest, fields: URLSearchParams): Promise<SiteAnswer | undefined>;
}

/** Longest body of a form [bytes]. */
const MAX_FORM_BYTES = 2048;

/** Returns a handler that answers GET and HEAD from a site, its forms, and every other method with 405. */
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
  const request = {
    path: url.replace(/[?#].*$/s, ''),
    address: peerAddress(socket),
    languages: headers['accept-language'],
  };
  if (method === 'POST') return receive(site, request, req, res);
  if (method !== 'GET' && method !== 'HEAD') return refuseMethod(res);
  const answered = await site.answer(request);
  if (!('source' in answered)) return send(res, answered);
  try {
    if (method === 'HEAD') res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).end();
    else if (!socket.destroyed) await sendEvents(res, answered.source);
  } finally {
    answered.end();
  }
}

function refuseMethod(res: ServerResponse): void {
  res.setHeader('Allow', 'GET, HEAD');
  send(res, { status: 405, type: 'text/plain; charset=utf-8', body: '' });
}

/** Receives a form. Other sites cannot send one: they do not know the path, and their browser names their origin. */
async function receive(
  site: PublicSite,
  request: SiteRequest,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { headers } = req;
  const isForm = /^application\/x-www-form-urlencoded(?:;|$)/i.test(headers['content-type'] ?? '');
  const isForeign = !['same-origin', undefined].includes(headers['sec-fetch-site'] as string | undefined);
  const isShort = Number(headers['content-length'] ?? NaN) <= MAX_FORM_BYTES;
  const body = site.submit && isForm && isShort && !isForeign ? await shortBodyOf(req) : undefined;
  const fields = new URLSearchParams(body === undefined ? '' : Buffer.from(body).toString());
  const answered = body === undefined ? undefined : await site.submit?.(request, fields);
  if (answered === undefined) refuseMethod(res);
  else send(res, answered);
}

function send(res: ServerResponse, { status, type, body, headers = {} }: SiteAnswer): void {
  const text = typeof body === 'string' ? Buffer.from(body) : body;
  res.writeHead(status, { ...headers, 'Content-Type': type, 'Content-Length': text.length });
  // Node.js leaves the body out of answers to HEAD.
  res.end(text);
}
