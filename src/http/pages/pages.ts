import express, { type Express, type RequestHandler, type Response, type ErrorRequestHandler } from 'express';
import { refuseCrossSite, refuseUnknownHosts, refuseUnknownOrigins } from './browser-guard.js';
import { senderOf, type Caller } from '../message/caller.js';
import { sendText } from '../message/handler.js';
import type { RequestTrace } from '../../util/trace.js';

/** Decides whether a client may use a page or a form. */
export type MayUse = (caller: Caller | undefined) => boolean;

/** Path that answers GET and HEAD, to browsers and monitoring programs. */
export interface Page {
  readonly path: string;
  /** Decides whether a client may read the page; absent: the rule for all pages. */
  readonly mayUse?: MayUse;
  answer(request: PageRequest): PageAnswer | Promise<PageAnswer>;
}

/** Path that receives the form of a page. */
export interface FormTarget {
  readonly path: string;
  /** Decides whether a client may submit the form; absent: the rule for all forms. */
  readonly mayUse?: MayUse;
  /** Receives the fields that occur once, and the client that sent them. */
  submit(fields: PageRequest['query'], sender: PageRequest['sender']): Promise<PageAnswer>;
}

/** Request for a page. */
export interface PageRequest {
  /** Query parameters of the URL that occur once. */
  readonly query: { readonly [name: string]: string | undefined };
  /** Client of the request, and the trace that the request belongs to. */
  readonly sender: { readonly caller: Caller; readonly trace?: RequestTrace };
}

/** Answer with a page. */
export interface PageAnswer {
  readonly status: number;
  /** Media type with its charset, such as `text/html; charset=utf-8`. */
  readonly type: string;
  readonly body: string;
  readonly headers?: { readonly [name: string]: string };
}

/** Longest body of a form [bytes]. */
const MAX_FORM_BYTES = 4096;

/** Headers of every page. */
export const PAGE_HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** Returns the parameters that occur once. */
export const singleValues = (values: object): PageRequest['query'] =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );

const send = (res: Response, { status, type, body, headers = {} }: PageAnswer): void => {
  res
    .status(status)
    .set({ ...PAGE_HEADERS, ...headers })
    .type(type)
    .send(body);
};

const refuseMethod =
  (allowed: string): RequestHandler =>
  (_req, res) => {
    res.setHeader('Allow', allowed);
    sendText(res, 405, `${allowed} only.\n`);
  };

/**
 * Serves pages.
 * @param headers headers of every answer, in addition to the headers against caching and type sniffing.
 */
export function servePages(app: Express, pages: readonly Page[], headers: PageAnswer['headers'] = {}): void {
  for (const { path, answer } of pages) {
    app.get(path, async (req, res) => {
      res.set(headers);
      send(res, await answer({ query: singleValues(req.query), sender: senderOf(req) }));
    });
    app.all(path, refuseMethod('GET, HEAD'));
  }
}

/** Serves the targets of forms, for pages of this server only. */
export function serveForms(app: Express, forms: readonly FormTarget[]): void {
  const parse = express.urlencoded({ extended: false, limit: MAX_FORM_BYTES });
  for (const { path, submit } of forms) {
    app.post(path, refuseCrossSite, parse, async (req, res) => {
      const body: unknown = req.body;
      const fields = singleValues(typeof body === 'object' && body !== null ? body : {});
      send(res, await submit(fields, senderOf(req)));
    });
    app.all(path, refuseMethod('POST'));
  }
}

/**
 * Creates an application that serves pages without a login, under known host names.
 * @param hosts allowed host names, besides `localhost` and IP addresses.
 */
export function createPageApp(
  pages: readonly Page[],
  hosts: readonly string[],
  onBug: (error: unknown) => void,
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.use(refuseUnknownHosts(hosts));
  app.use(refuseUnknownOrigins([]));
  servePages(app, pages);
  app.use((_req, res) => {
    sendText(res, 404);
  });
  const onError: ErrorRequestHandler = (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error);
    onBug(error);
    return sendText(res, 500);
  };
  app.use(onError);
  return app;
}
