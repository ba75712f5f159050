import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import httpAuth, { type Digest } from 'http-auth';
import type { Caller, Login, Logins } from './caller.js';
import { NonceStore } from './nonce-store.js';

/** Realm that clients hash with their user name and password. */
export const REALM = 'monero-rpc';

/** Body of an answer to a request without login. Source: http_auth.cpp `create_digest_response`. */
const REFUSAL = Buffer.from(
  '<html><head><title>Unauthorized Access</title></head><body><h1>401 Unauthorized</h1></body></html>',
);

const FAILURE_DELAY_MS = 500;
/**
 * Most failures whose answer is delayed at one time; further ones are answered at once, so that a flood takes no
 * memory.
 */
const MAX_DELAYED = 64;

export const md5 = (text: string): string => hash('md5', text);

/** Path of a `uri` parameter, in which some clients include scheme and host. */
const pathOf = (uri: string): string => uri.replace(/^https?:\/\/[^/]*/i, '');

/** Compares a text with an expected one, in a time that depends on nothing but their lengths. */
export function sameText(text: string, expected: string): boolean {
  const bytes = Buffer.from(text);
  const expectedBytes = Buffer.from(expected);
  return bytes.length === expectedBytes.length && timingSafeEqual(bytes, expectedBytes);
}

/** Result of a digest exchange. */
interface DigestVerdict {
  /** Login whose password the request proves. */
  readonly login?: Login;
  /** True if the nonce, but not the password, is the reason for a refusal. */
  readonly stale?: boolean;
}

const logins = new WeakMap<IncomingMessage, Login>();

/** Returns the client of a request, with the login that it presented. */
export function callerOf(req: Request): Caller {
  const login = logins.get(req);
  return { address: addressOf(req), ...(login === undefined ? {} : { login }) };
}

const addressOf = ({ socket }: IncomingMessage): string =>
  (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');

/**
 * Requires a login: HTTP digest, or a bearer token. http-auth parses digest headers and runs the exchange; our nonces
 * replace its own, which only one connection at a time can use and which grow without bound. Unknown names and wrong
 * secrets are refused alike.
 * @param onRefused takes the address of a client whose login was refused; not for a challenge, nor an expired nonce.
 */
export function authentication(
  accepted: Logins,
  nonces = new NonceStore(),
  onRefused: (client: string) => void = () => undefined,
): RequestHandler {
  const digest = digestOf(accepted, nonces);
  let delayed = 0;
  const refuse = (req: Request, res: Response, result: DigestVerdict): void => {
    const attempt = req.headers.authorization !== undefined && result.stale !== true;
    if (attempt) onRefused(addressOf(req));
    if (!attempt || delayed >= MAX_DELAYED) return digest.ask(res, result);
    delayed += 1;
    setTimeout(() => {
      delayed -= 1;
      digest.ask(res, result);
    }, FAILURE_DELAY_MS);
  };
  const admit = (login: Login, req: Request, res: Response, next: () => void): void => {
    const refusal = login.refusalFrom(addressOf(req));
    if (refusal !== undefined) {
      onRefused(addressOf(req));
      return void res.status(refusal.status).type('text').send(`${refusal.reason}\n`);
    }
    logins.set(req, login);
    next();
  };
  return (req, res, next) => {
    const [, token] = /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '') ?? [];
    if (token !== undefined && accepted.byToken !== undefined) {
      const login = accepted.byToken(token);
      return login === undefined ? refuse(req, res, {}) : admit(login, req, res, next);
    }
    digest.isAuthenticated(req, (result) => {
      if (result instanceof Error) return next(result);
      const { login } = result;
      return login === undefined ? refuse(req, res, result) : admit(login, req, res, next);
    });
  };
}

function digestOf(accepted: Logins, nonces: NonceStore): Digest<DigestVerdict> {
  /** Compared with the responses of unknown users. */
  const nobody = randomBytes(16).toString('hex');
  const digest = httpAuth.digest<DigestVerdict>({ realm: REALM, contentType: 'text/html' }, (_user, done) =>
    done(nobody),
  );

  digest.findUser = (req, credentials, done) => {
    const {
      nonce = '',
      nc,
      cnonce = '',
      qop,
      uri = '',
      response = '',
      algorithm = 'MD5',
      username = '',
    } = credentials;
    const found = accepted.byUser(username);
    const ha1 = found?.ha1 ?? nobody;
    const secret = algorithm === 'MD5-sess' ? md5(`${ha1}:${nonce}:${cnonce}`) : ha1;
    const ha2 = md5(`${req.method ?? ''}:${uri}`);
    const expected =
      qop === undefined
        ? md5(`${secret}:${nonce}:${ha2}`)
        : md5(`${secret}:${nonce}:${nc ?? ''}:${cnonce}:${qop}:${ha2}`);
    const responseMatches = sameText(response, expected);
    const wellFormed =
      pathOf(uri) === req.url &&
      /^MD5(-sess)?$/.test(algorithm) &&
      (qop === undefined || (qop === 'auth' && /^[0-9a-fA-F]{8}$/.test(nc ?? '')));
    if (found === undefined || !responseMatches || !wellFormed) return done({});
    const verdict = nonces.use(nonce, qop === undefined ? undefined : Number.parseInt(nc ?? '', 16));
    return done(verdict === 'fresh' ? { login: found.login } : { stale: true });
  };

  digest.ask = (res, result) => {
    const nonce = nonces.issue();
    const challenge = (algorithm: string): string =>
      `Digest qop="auth",algorithm=${algorithm},realm="${REALM}",nonce="${nonce}",stale=${result.stale === true}`;
    const bearer = accepted.byToken === undefined ? [] : [`Bearer realm="${REALM}"`];
    // Some clients compare the name with its case. Source: http_auth.cpp `add_challenge`.
    res.setHeader('WWW-authenticate', [...['MD5', 'MD5-sess'].map(challenge), ...bearer]);
    res.writeHead(401, { 'Content-Type': 'text/html', 'Content-Length': REFUSAL.length });
    res.end(REFUSAL);
  };
  return digest;
}
