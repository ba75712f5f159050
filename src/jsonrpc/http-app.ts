import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from 'express';
import type { Callers } from '../util/callers.js';
import { letGo } from '../util/last-holder.js';
import type { AnswerText, Dispatcher } from './dispatcher.js';
import { RpcError } from './errors.js';

export interface HttpAppOptions {
  readonly dispatcher: Dispatcher;
  /** Absent: no credentials are asked, and then only known host names are answered. */
  readonly auth?: RequestHandler;
  /** Browser origins that may call; `*` is any. */
  readonly origins: readonly string[];
  /** Names and addresses under which a server without login may be called. */
  readonly hosts: readonly string[];
  readonly onBug: (error: unknown) => void;
  /** Told of everyone who asks. */
  readonly callers?: Callers;
  /** Paths beside JSON-RPC. */
  readonly endpoints?: readonly Endpoint[];
  /**
   * Answers whoever asks, by whatever method, host name or content type, as upstream's servers do. For play
   * money only: a page of another site can call it.
   */
  readonly anyClient?: boolean;
}

/** A path with a format of its own. */
export interface Endpoint {
  readonly path: string;
  answer(body: Buffer): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: AnswerText;
}

/** Source: wallet_rpc_server.h, `--rpc-max-…`: 100 MiB a request. */
const MAX_BODY_BYTES = 100 * 1024 * 1024;
const PATH = '/json_rpc';
/** What a page can send to another site without asking. */
const FORM_TYPES = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i;

const hostName = (header: string): string =>
  header
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();

/** The HTTP side of JSON-RPC: one path, POST only, login before everything else. */
export function createHttpApp({
  dispatcher,
  auth,
  origins,
  hosts,
  onBug,
  callers,
  endpoints = [],
  anyClient = false,
}: HttpAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);

  if (callers !== undefined)
    app.use((_req, res, next) => {
      res.once('close', callers.arrive());
      next();
    });

  const known = new Set(['localhost', '127.0.0.1', '::1', ...hosts].map((host) => host.toLowerCase()));
  if (auth === undefined && !anyClient)
    app.use((req, res, next) => {
      // A page of another site whose name was pointed at us carries its own Host.
      if (known.has(hostName(req.headers.host ?? ''))) next();
      else res.status(403).type('text').send('This host name is not served.\n');
    });

  app.use((req, res, next) => {
    const { origin } = req.headers;
    if (origin === undefined) return next();
    if (!origins.includes(origin) && !origins.includes('*'))
      return res.status(403).type('text').send('This origin may not call.\n');
    res.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'www-authenticate',
      Vary: 'Origin',
    });
    if (req.method !== 'OPTIONS') return next();
    res.set({
      'Access-Control-Allow-Methods': 'POST, OPTIONS',
      'Access-Control-Allow-Headers': 'Content-Type, Authorization, X-Requested-With',
    });
    return res.status(200).end();
  });

  if (auth !== undefined) app.use(auth);

  const readBody: readonly RequestHandler[] = [
    (req, res, next) => {
      if (!anyClient && FORM_TYPES.test(req.headers['content-type'] ?? ''))
        res.status(415).type('text').send('Send application/json.\n');
      else next();
    },
    express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false }),
  ];
  const serve = (path: string, answer: (body: Buffer) => Promise<Answer>): void => {
    const handle: RequestHandler = async (req, res, next) => {
      // A path is the whole of what was asked for.
      if (anyClient && req.originalUrl !== path) return next();
      const body: unknown = req.body;
      const given = await answer(body instanceof Buffer ? body : Buffer.alloc(0));
      await send(res, given, onBug);
    };
    if (anyClient) return void app.all(path, ...readBody, handle);
    app.post(path, ...readBody, handle);
    app.all(path, (_req, res) => {
      res.set('Allow', 'POST').status(405).type('text').send('POST only.\n');
    });
  };
  serve(PATH, async (body) => {
    const pieces = await dispatcher.answer(decodeUtf8(body));
    return pieces === undefined
      ? { status: 204, type: 'text', body: [] }
      : { status: 200, type: 'application/json', body: pieces };
  });
  for (const { path, answer } of endpoints) serve(path, answer);
  app.use((_req, res) => {
    res.status(404).type('text').end();
  });

  const onError: ErrorRequestHandler = (error: unknown, _req, res, next) => {
    const status = (error as { readonly status?: unknown }).status;
    if (res.headersSent) return next(error);
    if (typeof status === 'number' && status >= 400 && status < 500)
      return res.status(status).type('text').end();
    onBug(error);
    return res.status(500).type('text').end();
  };
  app.use(onError);
  return app;
}

async function send(
  res: Response,
  { status, type, body }: Answer,
  onBug: (error: unknown) => void,
): Promise<void> {
  const write = (pieces: readonly Uint8Array[]): void => {
    for (const piece of pieces) res.write(piece, () => letGo(piece));
  };
  res.status(status);
  if (Symbol.asyncIterator in body) {
    res.type(type);
    try {
      for await (const pieces of body) {
        // Whoever asked may have gone away.
        if (res.destroyed) return;
        write(pieces);
      }
    } catch (error) {
      // It is too late to say what is wrong: an answer that ends before its end says that something is.
      res.destroy();
      if (!(error instanceof RpcError)) onBug(error);
      return;
    }
  } else {
    const length = body.reduce((total, piece) => total + piece.length, 0);
    if (length > 0) res.type(type).set('Content-Length', String(length));
    write(body);
  }
  res.end();
}

/** Text of a body; bytes that are not UTF-8 make it unreadable, which the parser then says. */
function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return '';
  }
}
