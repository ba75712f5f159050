import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { sendText, setHeaders, type Handler, corsHeaders } from '../message/handler.js';

/*
 * Rules against web pages that call the server from the browser of a user. Programs other than browsers are subject
 * only to the rule for GET and HEAD under unknown host names.
 */

/** Content types that a page can send to another site without a CORS preflight. */
const FORM_TYPES = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i;

/** Returns the name or address in a Host header, in lower case, without port and brackets. */
const hostName = (header: string): string =>
  header
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();

/**
 * True for a request of a browser. Every current browser sends Origin with all methods except GET and HEAD, and
 * Sec-Fetch headers to loopback and https addresses. Sec-Fetch-Mode does not show a browser, since Node's fetch sends
 * it, too.
 */
const isFromBrowser = (headers: IncomingHttpHeaders): boolean =>
  ['origin', 'sec-fetch-site', 'sec-fetch-dest', 'sec-fetch-user'].some(
    (name) => headers[name] !== undefined,
  );

/**
 * Refuses browsers under host names that are not listed. A page of another site can let its own host name resolve to
 * this server (DNS rebinding); the browser then treats page and server as one origin, and the Host header contains that
 * name. Programs may call a server under any name, such as the name of a container, except with GET or HEAD: over plain
 * HTTP, a page's GET to its own origin has neither Origin nor Sec-Fetch-Site, so that it looks like the request of a
 * program. Requests with an IP address or without a Host header are served: an address needs no name resolution, and
 * every browser sends the header.
 */
export function refuseUnknownHosts(hosts: readonly string[]): Handler {
  const known = new Set(['', 'localhost', ...hosts.map((host) => host.toLowerCase())]);
  return ({ method, headers }, res, next) => {
    const name = hostName(headers.host ?? '');
    const isKnown = known.has(name) || isIP(name) !== 0;
    const mayBeBrowser = method === 'GET' || method === 'HEAD' || isFromBrowser(headers);
    if (isKnown || !mayBeBrowser) return next();
    return sendText(
      res,
      403,
      'Browsers and reads are not served under this host name. Add it to --rpc-allowed-hosts; or set --rpc-login, which lifts this check.\n',
    );
  };
}

/** Returns the origin of this server as the client addresses it, in lower case. */
const ownOrigin = ({ socket, headers: { host = '' } }: IncomingMessage): string => {
  const scheme = (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http';
  return `${scheme}://${host}`.toLowerCase();
};

/**
 * Refuses pages whose origin is neither listed nor the server's own, and answers OPTIONS, also to programs. Without a
 * login, this check must follow {@link refuseUnknownHosts}: for a host name that resolves to this server, page and
 * server have the same origin.
 * @param origins `*` allows any origin.
 */
export const refuseUnknownOrigins =
  (origins: readonly string[]): Handler =>
  (req, res, next) => {
    const { origin } = req.headers;
    const isPreflight = req.method === 'OPTIONS';
    if (origin !== undefined) {
      const own = ownOrigin(req) === origin.toLowerCase();
      if (!own && !origins.includes(origin) && !origins.includes('*'))
        return sendText(res, 403, 'This origin may not call.\n');
      setHeaders(res, corsHeaders(origin, isPreflight));
    }
    return isPreflight ? void res.end() : next();
  };

/**
 * Refuses content types that an HTML form can send, from browsers only: `curl -d` and Node's fetch send the same types.
 */
export const refuseForms: Handler = ({ headers }, res, next) => {
  if (isFromBrowser(headers) && FORM_TYPES.test(headers['content-type'] ?? ''))
    sendText(res, 415, 'Send application/json.\n');
  else next();
};

/**
 * Refuses forms that a page of another site may have sent, since the browser adds the login to its requests. A request
 * must prove that it comes from a page of this server, so that programs are refused, too.
 */
export const refuseCrossSite: Handler = (req, res, next) => {
  const { origin, 'sec-fetch-site': site } = req.headers;
  const isOwn = site === undefined ? origin?.toLowerCase() === ownOrigin(req) : site === 'same-origin';
  if (isOwn) next();
  else sendText(res, 403, 'Send this form from its own page.\n');
};
