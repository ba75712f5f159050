import type { Request, RequestHandler } from 'express';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { corsHeaders } from './reference-head.js';

/*
 * Rules against web pages that call the server from a browser on its user's behalf. Programs are not browsers: of these
 * rules only that of reads under unknown host names applies to them.
 */

/** Content types that a page can send to another site without a preflight. */
const FORM_TYPES = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i;

/** Reads the name or address of a Host header, in lower case, without port and brackets. */
export const hostName = (header: string): string =>
  header
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();

/**
 * True for a request of a browser. Every one in use sends Origin with all methods but GET and HEAD, and Sec-Fetch headers
 * to loopback and https addresses. Sec-Fetch-Mode does not indicate a browser: Node's fetch sends it.
 */
const isFromBrowser = (headers: IncomingHttpHeaders): boolean =>
  ['origin', 'sec-fetch-site', 'sec-fetch-dest', 'sec-fetch-user'].some(
    (name) => headers[name] !== undefined,
  );

/**
 * Refuses browsers under host names that are not listed, because a page of another site can have its own name resolve to
 * this server (DNS rebinding), which makes the two one origin to the browser. The Host header then carries that name.
 * Programs call a server under any name, such as that of a container. A GET or HEAD is refused to programs too, since that
 * of a browser may look the same: over plain HTTP, a page's GET to its own origin has neither Origin nor Sec-Fetch-Site.
 * An IP address is not resolved, and no browser leaves the name out, so requests for one and without one are served.
 */
export function refuseUnknownHosts(hosts: readonly string[]): RequestHandler {
  const known = new Set(['', 'localhost', ...hosts.map((host) => host.toLowerCase())]);
  return ({ method, headers }, res, next) => {
    const name = hostName(headers.host ?? '');
    const isKnown = known.has(name) || isIP(name) !== 0;
    const mayBeBrowser = method === 'GET' || method === 'HEAD' || isFromBrowser(headers);
    if (isKnown || !mayBeBrowser) return next();
    return res
      .status(403)
      .type('text')
      .send(
        'Browsers and reads are not served under this host name. Add it to --rpc-allowed-hosts; or set --rpc-login, which lifts this check.\n',
      );
  };
}

/** Origin of this server as the client addresses it, in lower case. */
const ownOrigin = ({ socket, headers: { host = '' } }: Request): string => {
  const scheme = (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http';
  return `${scheme}://${host}`.toLowerCase();
};

/**
 * Refuses pages of origins that are neither listed nor the server's own, and answers OPTIONS, also to programs. Without a
 * login it must come after {@link refuseUnknownHosts}: a name that resolves to this server is its own origin.
 * @param origins `*` allows any.
 */
export const refuseUnknownOrigins =
  (origins: readonly string[]): RequestHandler =>
  (req, res, next) => {
    const { origin } = req.headers;
    const isPreflight = req.method === 'OPTIONS';
    if (origin !== undefined) {
      const own = ownOrigin(req) === origin.toLowerCase();
      if (!own && !origins.includes(origin) && !origins.includes('*'))
        return res.status(403).type('text').send('This origin may not call.\n');
      res.set(corsHeaders(origin, isPreflight));
    }
    return isPreflight ? res.status(200).end() : next();
  };

/** Refuses content types that a form can send, from browsers only: `curl -d` and Node's fetch send the same types. */
export const refuseForms: RequestHandler = ({ headers }, res, next) => {
  if (isFromBrowser(headers) && FORM_TYPES.test(headers['content-type'] ?? ''))
    res.status(415).type('text').send('Send application/json.\n');
  else next();
};

/**
 * Refuses forms that a page of another site may have sent: a browser adds the login to them by itself. A request must
 * prove that it comes from a page of this server, so programs are refused too.
 */
export const refuseCrossSite: RequestHandler = (req, res, next) => {
  const { origin, 'sec-fetch-site': site } = req.headers;
  const isOwn = site === undefined ? origin?.toLowerCase() === ownOrigin(req) : site === 'same-origin';
  if (isOwn) next();
  else res.status(403).type('text').send('Send this form from its own page.\n');
};
