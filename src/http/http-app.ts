import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { PendingRequests } from '../util/pending-requests.js';
import { inTrace, type RequestTrace } from '../util/trace.js';
import { asksForDetails, NOTHING, sendAnswer, type Answer } from './calls/answer.js';
import { refuseForms, refuseUnknownHosts, refuseUnknownOrigins } from './pages/browser-guard.js';
import { callerOf, senderOf, type Caller } from './message/caller.js';
import { AnswerLost, type CallOrigin, type Dispatcher } from './calls/dispatcher.js';
import { sendEvents, type EventSource } from './message/event-stream.js';
import { INVALID_REQUEST } from './calls/errors.js';
import { bodyOf, shortBodyOf, isLost, RequestTooLarge } from './message/request-body.js';
import { headerOf, sendText, type Handler, setHead, runHandlers } from './message/handler.js';
import { BadIdempotencyKey, readIdempotencyKey } from './calls/idempotency-key.js';
import type { LoginDeadline } from './server/connection-limits.js';
import {
  serveForms,
  servePages,
  singleValues,
  type FormTarget,
  type MayUse,
  type Page,
} from './pages/pages.js';

export interface HttpAppOptions {
  readonly dispatcher: Dispatcher;
  /**
   * Handler that requires a login; absent: no login is required, and browsers and GET requests are served under known
   * host names only.
   */
  readonly auth?: Handler;
  /** Deadline that ends for a connection when the client has logged in. */
  readonly loginDeadline?: LoginDeadline;
  /** Browser origins that may call the server, besides its own; `*` allows any origin. */
  readonly origins: readonly string[];
  /**
   * Host names under which a server without a login answers browsers and GET requests, besides `localhost` and IP
   * addresses.
   */
  readonly hosts: readonly string[];
  readonly onBug: (error: unknown) => void;
  /** Counts every request until it is answered. */
  readonly pendingRequests?: PendingRequests;
  /** JSON-RPC path of one of several targets, in the syntax of Express; its parameter `target` is percent-decoded. */
  readonly targetPath?: string;
  /** Further paths, whose requests are not JSON-RPC. */
  readonly endpoints?: readonly Endpoint[];
  /** Paths of event streams. */
  readonly streams?: readonly StreamEndpoint[];
  /** Pages that need no login. */
  readonly openPages?: readonly Page[];
  readonly pages?: readonly Page[];
  readonly forms?: readonly FormTarget[];
  /** Decides whether a client may read those of `pages` without a rule of their own; absent: every client with a login may read them. */
  readonly mayRead?: MayUse;
  /** Decides whether a client may submit those of `forms` without a rule of their own; absent: every client that may read `pages`. */
  readonly maySubmit?: MayUse;
  /** Called with the HTTP status of each answer. */
  readonly onStatus?: (status: number) => void;
  /**
   * True: answers requests with any method, host name and content type, as the servers of the reference do. For test
   * networks only, since pages of other sites can then call the server.
   */
  readonly anyClient?: boolean;
  /** Passes requests for targets on to the processes that hold them; absent: this process serves all targets. */
  readonly forwarding?: Forwarding;
}

/**
 * Parts of a process that passes requests for a target on to another process, and serves requests of other processes.
 */
export interface Forwarding {
  /** Accepts or refuses a request with a signature of another process; ignores other requests. */
  readonly login: RequestHandler;
  /** True if `login` accepted a request, whose login another process has checked. */
  isForwarded(req: IncomingMessage): boolean;
  /** Handler of calls that other processes make for themselves. */
  readonly actions?: RequestHandler;
  /**
   * Answers a JSON-RPC request for a target that another process holds; all other requests go on to the handlers of
   * this process.
   */
  readonly calls: RequestHandler;
  /**
   * Answers a request for an event stream of a target that another process holds; all other requests go on to the
   * handlers of this process.
   */
  readonly streams: RequestHandler;
}

/** Path whose requests are not JSON-RPC. */
export interface Endpoint {
  readonly path: string;
  answer(body: Buffer): Promise<Answer>;
}

/** Path that answers GET with server-sent events. */
export interface StreamEndpoint {
  /** Path in the syntax of Express; a parameter `target` is percent-decoded. */
  readonly path: string;
  /** Opens a stream. @throws StreamRefusal; the returned source may throw it, too. */
  open(request: StreamRequest): EventSource | Promise<EventSource>;
}

/** Request for an event stream. */
export interface StreamRequest {
  readonly target?: string;
  readonly caller: Caller;
  readonly trace?: RequestTrace;
  /** Query parameters of the URL that occur once. */
  readonly query: { readonly [name: string]: string | undefined };
  /** Value of the header `Last-Event-ID`. */
  readonly lastEventId?: string;
}

/** Error of an event stream that cannot begin. The message is the text of the answer. */
export class StreamRefusal extends Error {
  override readonly name = 'StreamRefusal';
  readonly status: number;
  /** Value of the header `Retry-After` [s]. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, retryAfter?: number) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** Longest body for an {@link Endpoint} [bytes]; it is read completely before it is answered. */
const MAX_BODY_BYTES = 100 * 1024 * 1024;
const PATH = '/json_rpc';

/** Creates the application that serves JSON-RPC over HTTP. It accepts POST only, and checks the login first. */
export function createHttpApp({
  dispatcher,
  auth,
  loginDeadline,
  origins,
  hosts,
  onBug,
  pendingRequests,
  targetPath,
  endpoints = [],
  streams = [],
  openPages = [],
  pages = [],
  forms = [],
  mayRead = () => true,
  maySubmit = mayRead,
  onStatus,
  anyClient = false,
  forwarding,
}: HttpAppOptions): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);

  const counts: Handler[] = [];
  if (pendingRequests !== undefined)
    counts.push((_req, res, next) => {
      res.once('close', pendingRequests.begin());
      next();
    });
  if (onStatus !== undefined)
    counts.push((_req, res, next) => {
      res.once('finish', () => onStatus(res.statusCode));
      next();
    });

  /** Leaves a check out for requests that another process of the same operator has checked. */
  const ofClients = (check: Handler): Handler =>
    forwarding === undefined
      ? check
      : (req, res, next) => (forwarding.isForwarded(req) ? next() : check(req, res, next));
  const guards: Handler[] = [];
  if (auth === undefined && !anyClient) guards.push(ofClients(refuseUnknownHosts(hosts)));
  guards.push(refuseUnknownOrigins(origins));

  const admission: Handler[] = [];
  if (auth !== undefined)
    admission.push(ofClients(auth), ({ socket }, _res, next) => {
      loginDeadline?.lift(socket);
      next();
    });

  for (const count of counts) app.use(count);
  if (forwarding !== undefined) app.use(forwarding.login);
  if (forwarding?.actions !== undefined) app.use(forwarding.actions);
  for (const guard of guards) app.use(guard);
  // Closes connections of clients without a login, so that they do not count against the limits for long.
  servePages(app, openPages, { Connection: 'close' });
  for (const admit of admission) app.use(admit);

  const serve = (
    path: string,
    answer: (req: Request) => Promise<Answer>,
    ...before: RequestHandler[]
  ): void => {
    const handle: RequestHandler = async (req, res, next) => {
      // The whole URL must equal the path, since a URL with a query is a different path.
      if (anyClient && req.originalUrl !== path) return next();
      await sendAnswer(res, await answer(req), onBug);
    };
    if (anyClient) return void app.all(path, refuseEncoding, ...before, handle);
    app.post(path, refuseForms, refuseEncoding, ...before, handle);
    app.all(path, (_req, res) => {
      res.set('Allow', 'POST');
      sendText(res, 405, 'POST only.\n');
    });
  };
  serve(PATH, (req) => answerRpc(dispatcher, req));
  if (targetPath !== undefined)
    serve(
      targetPath,
      (req) => answerRpc(dispatcher, req, (req.params as { target: string }).target),
      ...(forwarding === undefined ? [] : [forwarding.calls]),
    );
  const readWhole = express.raw({ type: () => true, limit: MAX_BODY_BYTES });
  for (const { path, answer } of endpoints)
    serve(
      path,
      ({ body }: { body: unknown }) => answer(body instanceof Buffer ? body : Buffer.alloc(0)),
      readWhole,
    );
  for (const stream of streams) {
    if (forwarding !== undefined && stream.path.includes('/:target/'))
      app.get(stream.path, forwarding.streams);
    app.get(stream.path, (req, res) => answerStream(stream, req, res, onBug));
    app.all(stream.path, (_req, res) => {
      res.set('Allow', 'GET');
      sendText(res, 405, 'GET only.\n');
    });
  }
  const guard = (paths: readonly Pick<Page, 'path' | 'mayUse'>[], isAllowed: MayUse): void => {
    for (const { path, mayUse = isAllowed } of paths)
      app.all(path, (req, res, next) => {
        if (mayUse(callerOf(req))) next();
        else sendText(res, 403, 'This credential may not use this page.\n');
      });
  };
  guard(pages, mayRead);
  servePages(app, pages);
  guard(forms, maySubmit);
  serveForms(app, forms);
  app.use((_req, res) => {
    setHead(res, 404, 'text/plain');
    res.end();
  });

  const answerError = (error: unknown, req: IncomingMessage, res: ServerResponse): void => {
    if (error instanceof AnswerLost) {
      res.destroy();
      return onBug(error.cause);
    }
    if (isLost(req)) return undefined;
    if (res.headersSent) {
      onBug(error);
      return void res.destroy();
    }
    const { status } = error as { readonly status?: unknown };
    if (typeof status === 'number' && status >= 400 && status < 500) return sendText(res, status);
    onBug(error);
    return sendText(res, 500);
  };
  // Express recognizes a handler of errors by its four parameters.
  const onError: ErrorRequestHandler = (error: unknown, req, res, _next) => answerError(error, req, res);
  app.use(onError);
  // A request to the server of the regtest daemon may have any method, and a request of a cluster may go on to another
  // process.
  if (anyClient || forwarding !== undefined) return app;
  return directCalls(app, {
    ...{ path: PATH, targetPath, onError: answerError },
    checks: [...counts, ...guards, ...admission, refuseForms, refuseEncoding],
    answer: async (req, res, target) => sendAnswer(res, await answerRpc(dispatcher, req, target), onBug),
  });
}

/** Answers one JSON-RPC call or batch. */
async function answerRpc(dispatcher: Dispatcher, req: IncomingMessage, target?: string): Promise<Answer> {
  const type = 'application/json';
  try {
    const idempotencyKey = readIdempotencyKey(headerOf(req, 'idempotency-key'));
    const origin: CallOrigin = {
      ...senderOf(req),
      errorDetails: asksForDetails(req),
      ...(target === undefined ? {} : { target }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    };
    const answer = await inTrace(origin.trace, () =>
      dispatcher.answer(shortBodyOf(req) ?? bodyOf(req), origin),
    );
    return { ...(answer ?? NOTHING), type };
  } catch (error) {
    if (error instanceof BadIdempotencyKey)
      return { ...dispatcher.refusal(INVALID_REQUEST, error.message, 400), type };
    if (!(error instanceof RequestTooLarge)) throw error;
    return { ...dispatcher.refusal(INVALID_REQUEST, error.message, error.status), type };
  }
}

async function answerStream(
  { open }: StreamEndpoint,
  req: Request,
  res: Response,
  onBug: (error: unknown) => void,
): Promise<void> {
  const { target } = req.params as { readonly target?: string };
  const lastEventId = headerOf(req, 'last-event-id');
  const query = singleValues(req.query);
  let source: EventSource;
  try {
    source = await open({
      ...senderOf(req),
      query,
      ...(target === undefined ? {} : { target }),
      ...(lastEventId === undefined || lastEventId === '' ? {} : { lastEventId }),
    });
  } catch (error) {
    if (!(error instanceof StreamRefusal)) throw error;
    if (error.retryAfter !== undefined) res.set('Retry-After', String(error.retryAfter));
    return sendText(res, error.status, `${error.message}\n`);
  }
  // The client may have gone while the stream waited for its wallet.
  if (res.closed || req.socket.readableEnded) return void res.destroy();
  try {
    await sendEvents(res, source);
  } catch (error) {
    // A stream that has begun can only be closed: the client receives the refusal when it reconnects.
    res.destroy();
    if (!(error instanceof StreamRefusal)) onBug(error);
  }
}

const refuseEncoding: Handler = ({ headers }, res, next) => {
  if (/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')) next();
  else sendText(res, 415, 'Send the request without Content-Encoding.\n');
};

export interface DirectCallsOptions {
  /** Path of calls without a target. */
  readonly path: string;
  /** Path of calls for a target, with `:target` in place of its percent-encoded name; absent: there is no such path. */
  readonly targetPath?: string | undefined;
  /** Checks of a call, in order: the same checks that the application makes. */
  readonly checks: readonly Handler[];
  /** Answers a call that all checks have passed. */
  readonly answer: (req: IncomingMessage, res: ServerResponse, target?: string) => Promise<void>;
  readonly onError: (error: unknown, req: IncomingMessage, res: ServerResponse) => void;
}

/**
 * Answers POST to the paths of calls without the router of Express, which takes as long as a short call itself. All other
 * requests go to the application.
 */
export function directCalls(
  app: RequestListener,
  { path, targetPath, checks, answer, onError }: DirectCallsOptions,
): RequestListener {
  const targetIn = targetPath === undefined ? () => undefined : targetReader(targetPath);
  return (req, res) => {
    const { method, url = '' } = req;
    const target = url === path ? undefined : targetIn(url);
    if (method !== 'POST' || (target === undefined && url !== path)) return void app(req, res);
    const fail = (error: unknown): void => onError(error, req, res);
    return runHandlers(checks, req, res, () => void answer(req, res, target).catch(fail), fail);
  };
}

/** Returns a function that reads the target in a URL; undefined if the URL is not exactly the path of a target. */
function targetReader(targetPath: string): (url: string) => string | undefined {
  const [before = '', after = ''] = targetPath.split(':target');
  return (url) => {
    if (!url.startsWith(before) || !url.endsWith(after)) return undefined;
    const encoded = url.slice(before.length, url.length - after.length);
    if (!/^[^/?#]+$/.test(encoded)) return undefined;
    try {
      return decodeURIComponent(encoded);
    } catch {
      return undefined;
    }
  };
}
