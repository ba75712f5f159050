import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import httpAuth from 'http-auth';
import { NonceStore } from './nonce-store.js';

/** Realm that clients hash with their user name and password. */
export const REALM = 'monero-rpc';

const FAILURE_DELAY_MS = 500;
/**
 * Most failures whose answer is delayed at one time; further ones are answered at once, so that a flood takes no
 * memory.
 */
const MAX_DELAYED = 64;

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** Path of a `uri` parameter, in which some clients include scheme and host. */
const pathOf = (uri: string): string => uri.replace(/^https?:\/\/[^/]*/i, '');

const sameText = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());

/**
 * Requires an HTTP digest login. http-auth parses headers and runs the exchange; our nonces replace its own, which only
 * one connection at a time can use and which grow without bound.
 */
export function digestAuth(user: string, password: string, nonces = new NonceStore()): RequestHandler {
  const ha1 = md5(`${user}:${REALM}:${password}`);
  const digest = httpAuth.digest({ realm: REALM, contentType: 'text/html' }, (_user, done) => done(ha1));

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
    const secret = algorithm === 'MD5-sess' ? md5(`${ha1}:${nonce}:${cnonce}`) : ha1;
    const ha2 = md5(`${req.method ?? ''}:${uri}`);
    const expected =
      qop === undefined
        ? md5(`${secret}:${nonce}:${ha2}`)
        : md5(`${secret}:${nonce}:${nc ?? ''}:${cnonce}:${qop}:${ha2}`);
    const userMatches = sameText(username, user);
    const responseMatches = sameText(response, expected);
    const wellFormed =
      pathOf(uri) === req.url &&
      /^MD5(-sess)?$/.test(algorithm) &&
      (qop === undefined || (qop === 'auth' && /^[0-9a-fA-F]{8}$/.test(nc ?? '')));
    if (!userMatches || !responseMatches || !wellFormed) return done({ user, pass: false });
    const verdict = nonces.use(nonce, qop === undefined ? undefined : Number.parseInt(nc ?? '', 16));
    return done(verdict === 'fresh' ? { user, pass: true } : { stale: true });
  };

  digest.ask = (res, result) => {
    const challenge = (algorithm: string): string =>
      `Digest qop="auth",algorithm=${algorithm},realm="${REALM}",nonce="${nonces.issue()}",stale=${result.stale === true}`;
    res.setHeader('WWW-Authenticate', ['MD5', 'MD5-sess'].map(challenge));
    res.writeHead(401, { 'Content-Type': 'text/html' });
    res.end(
      '<html><head><title>Unauthorized Access</title></head><body><h1>401 Unauthorized</h1></body></html>',
    );
  };

  let delayed = 0;
  return (req, res, next) => {
    digest.isAuthenticated(req, (result) => {
      if (result instanceof Error) return next(result);
      if (result.pass === true) return next();
      const attempt = req.headers.authorization !== undefined && result.stale !== true;
      if (!attempt || delayed >= MAX_DELAYED) return digest.ask(res, result);
      delayed += 1;
      setTimeout(() => {
        delayed -= 1;
        digest.ask(res, result);
      }, FAILURE_DELAY_MS);
    });
  };
}
