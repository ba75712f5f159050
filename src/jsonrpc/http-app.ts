import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Callers } from '../util/callers.js';
import { letGo } from '../util/last-holder.js';
import { refuseForms, refuseUnknownHosts, refuseUnknownOrigins } from './browser-guard.js';
import type { AnswerText, Dispatcher } from './dispatcher.js';
import { INVALID_REQUEST, RpcError } from './errors.js';
import type { LoginDeadline } from './login-deadline.js';
import { RequestTooLarge } from './request-body.js';

export interface HttpAppOptions {
  readonly dispatcher: Dispatcher;
  /** Absent: no credentials are asked, and then only known host names are answered. */
  readonly auth?: RequestHandler;
  /** Lifted from a connection that authenticates. */
  readonly loginDeadline?: LoginDeadline;
  /** Browser origins that may call, beside the server's own; `*` is any. */
  readonly origins: readonly string[];
  /** Names under which a server without login may be called, beside `localhost` and any IP address. */
  readonly hosts: readonly string[];
  readonly onBug: (error: unknown) => void;
  /** Told of everyone who asks. */
  readonly callers?: Callers;
  /** Path of JSON-RPC for one of several targets, as Express writes it; its parameter `target` is percent-decoded. */
  readonly targetPath?: string;
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

/** Of a path beside JSON-RPC, whose body is read whole. */
const MAX_BODY_BYTES = 100 * 1024 * 1024;
const PATH = '/json_rpc';

/** The HTTP side of JSON-RPC: POST only, login before everything else. */
export function createHttpApp({
  dispatcher,
  auth,
  loginDeadline,
  origins,
  hosts,
  onBug,
  callers,
  targetPath,
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

  if (auth === undefined && !anyClient) app.use(refuseUnknownHosts(hosts));
  app.use(refuseUnknownOrigins(origins));
  if (auth !== undefined)
    app.use(auth, ({ socket }, _res, next) => {
      loginDeadline?.lift(socket);
      next();
    });

  const serve = (
    path: string,
    answer: (req: Request) => Promise<Answer>,
    ...before: RequestHandler[]
  ): void => {
    const handle: RequestHandler = async (req, res, next) => {
      // A path is the whole of what was asked for.
      if (anyClient && req.originalUrl !== path) return next();
      const given = await answer(req);
      await send(res, given, onBug);
    };
    if (anyClient) return void app.all(path, refuseEncoding, ...before, handle);
    app.post(path, refuseForms, refuseEncoding, ...before, handle);
    app.all(path, (_req, res) => {
      res.set('Allow', 'POST').status(405).type('text').send('POST only.\n');
    });
  };
  serve(PATH, (req) => answerRpc(dispatcher, req));
  if (targetPath !== undefined)
    serve(targetPath, (req) => answerRpc(dispatcher, req, (req.params as { target: string }).target));
  const readWhole = express.raw({ type: () => true, limit: MAX_BODY_BYTES });
  for (const { path, answer } of endpoints)
    serve(
      path,
      ({ body }: { body: unknown }) => answer(body instanceof Buffer ? body : Buffer.alloc(0)),
      readWhole,
    );
  app.use((_req, res) => {
    res.status(404).type('text').end();
  });

  const onError: ErrorRequestHandler = (error: unknown, req, res, next) => {
    const status = (error as { readonly status?: unknown }).status;
    // The client went away before its request was complete.
    if (req.destroyed && !req.complete) return undefined;
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

/** One call, or a batch, of JSON-RPC. */
async function answerRpc(dispatcher: Dispatcher, req: Request, target?: string): Promise<Answer> {
  const type = 'application/json';
  try {
    // The connection outlives a request that is refused before its end.
    const body = await dispatcher.answer(req.iterator({ destroyOnReturn: false }), target);
    return body === undefined ? { status: 204, type: 'text', body: [] } : { status: 200, type, body };
  } catch (error) {
    if (!(error instanceof RequestTooLarge)) throw error;
    return { status: error.status, type, body: dispatcher.refusal(INVALID_REQUEST, error.message) };
  }
}

const refuseEncoding: RequestHandler = ({ headers }, res, next) => {
  if (/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')) next();
  else res.status(415).type('text').send('Send the request without Content-Encoding.\n');
};
