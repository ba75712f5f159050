import express, { type ErrorRequestHandler, type Express } from 'express';
import { refuseUnknownHosts, refuseUnknownOrigins } from './browser-guard.js';
import { sendText } from './handler.js';
import { servePages, type Page } from './pages.js';

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
