import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readDigestParameters } from '../../util/http-digest.js';
import { addressOf, setCaller, type Login, type Logins } from '../message/caller.js';
import { sendText, type Handler } from '../message/handler.js';
import { NonceStore } from './nonce-store.js';

/** Realm that clients hash with their user name and password. */
export const REALM = 'monero-rpc';

/** Body of the answer to a request without a login. Source: http_auth.cpp `create_digest_response`. */
const REFUSAL = Buffer.from(
  '<html><head><title>Unauthorized Access</title></head><body><h1>401 Unauthorized</h1></body></html>',
);

const FAILURE_DELAY_MS = 500;
/**
 * Largest number of refusals that are delayed at the same time. Further refusals are sent at once, so that a flood of
 * them takes no memory.
 */
const MAX_DELAYED = 64;

export const md5 = (text: string): string => hash('md5', text);

/** Splits a `uri` parameter or a request target into path and query, without the scheme and host that some clients send. */
function partsOf(uri: string): readonly [path: string, query: string | undefined] {
  const [path = '', query] = uri.replace(/^https?:\/\/[^/?]*/i, '').split(/\?(.*)/s, 2);
  return [path || '/', query];
}

/**
 * True if a client made a login for the target of a request, or for the same target in a folder that a proxy has
 * removed. The reference does not compare the targets.
 */
function isMadeFor(uri: string, target = ''): boolean {
  const [path, query] = partsOf(uri);
  const [ownPath, ownQuery] = partsOf(target);
  return path.endsWith(ownPath) && query === ownQuery;
}

/** Compares two texts in a time that depends only on their lengths. */
export function sameText(text: string, expected: string): boolean {
  const bytes = Buffer.from(text);
  const expectedBytes = Buffer.from(expected);
  return bytes.length === expectedBytes.length && timingSafeEqual(bytes, expectedBytes);
}

/** Result of a digest login attempt. */
interface DigestVerdict {
  /** Login whose password the request proves; absent for a refused request. */
  readonly login?: Login;
  /** True if the nonce, and not the password, is the reason for the refusal. */
  readonly isStale?: boolean;
}

/**
 * Creates a handler that requires a login: HTTP digest, or a bearer token. The answer to an unknown name and to a wrong
 * secret is the same.
 * @param onRefused called with the address of a client whose login was refused; not for a challenge, nor for an expired
 * nonce.
 */
export function authentication(
  accepted: Logins,
  nonces = new NonceStore(),
  onRefused: (client: string) => void = () => undefined,
): Handler {
  const verify = digestOf(accepted, nonces);
  let delayed = 0;
  const ask = (res: ServerResponse, isStale: boolean): void =>
    challenge(res, { nonce: nonces.issue(), isStale, takesTokens: accepted.byToken !== undefined });
  const refuse = (req: IncomingMessage, res: ServerResponse, isStale = false): void => {
    const attempt = req.headers.authorization !== undefined && !isStale;
    if (attempt) onRefused(addressOf(req));
    if (!attempt || delayed >= MAX_DELAYED) return ask(res, isStale);
    delayed += 1;
    setTimeout(() => {
      delayed -= 1;
      ask(res, isStale);
    }, FAILURE_DELAY_MS);
  };
  const admit = (login: Login, req: IncomingMessage, res: ServerResponse, next: () => void): void => {
    const refusal = login.refusalFrom(addressOf(req));
    if (refusal !== undefined) {
      onRefused(addressOf(req));
      return sendText(res, refusal.status, `${refusal.reason}\n`);
    }
    setCaller(req, { address: addressOf(req), login });
    next();
  };
  return (req, res, next) => {
    const { authorization = '' } = req.headers;
    const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
    if (token !== undefined && accepted.byToken !== undefined) {
      const login = accepted.byToken(token);
      return login === undefined ? refuse(req, res) : admit(login, req, res, next);
    }
    const { login, isStale } = verify(req, authorization);
    return login === undefined ? refuse(req, res, isStale) : admit(login, req, res, next);
  };
}

/** Creates the check of logins by HTTP digest. */
function digestOf(
  accepted: Logins,
  nonces: NonceStore,
): (req: IncomingMessage, authorization: string) => DigestVerdict {
  /** Random HA1 with which the responses of unknown users are compared. */
  const nobody = randomBytes(16).toString('hex');
  return (req, authorization) => {
    const credentials = readDigestParameters(authorization);
    if (credentials === undefined) return {};
    const { nonce = '', nc = '', cnonce = '', qop, uri = '' } = credentials;
    const { response = '', algorithm = 'MD5', username = '' } = credentials;
    const found = accepted.byUser(username);
    const ha1 = found?.ha1 ?? nobody;
    const secret = /-sess$/i.test(algorithm) ? md5(`${ha1}:${nonce}:${cnonce}`) : ha1;
    const ha2 = md5(`${req.method ?? ''}:${uri}`);
    const counted = qop === undefined ? '' : `${nc}:${cnonce}:${qop}:`;
    const responseMatches = sameText(response.toLowerCase(), md5(`${secret}:${nonce}:${counted}${ha2}`));
    const wellFormed =
      isMadeFor(uri, req.url) &&
      /^md5(-sess)?$/i.test(algorithm) &&
      (qop === undefined || (/^auth$/i.test(qop) && /^[0-9a-f]{8}$/i.test(nc)));
    if (found === undefined || !responseMatches || !wellFormed) return {};
    const verdict = nonces.use(nonce, qop === undefined ? undefined : Number.parseInt(nc, 16));
    return verdict === 'fresh' ? { login: found.login } : { isStale: true };
  };
}

interface Challenge {
  readonly nonce: string;
  /** True if the nonce, and not the password, is the reason for the refusal. */
  readonly isStale: boolean;
  /** True if the server takes bearer tokens, too. */
  readonly takesTokens: boolean;
}

/** Answers a request without a valid login. */
function challenge(res: ServerResponse, { nonce, isStale, takesTokens }: Challenge): void {
  const digests = ['MD5', 'MD5-sess'].map(
    (algorithm) =>
      `Digest qop="auth",algorithm=${algorithm},realm="${REALM}",nonce="${nonce}",stale=${isStale}`,
  );
  // Some clients compare header names case-sensitively. Source: http_auth.cpp `add_challenge`.
  res.setHeader('WWW-authenticate', takesTokens ? [...digests, `Bearer realm="${REALM}"`] : digests);
  res.writeHead(401, { 'Content-Type': 'text/html', 'Content-Length': REFUSAL.length });
  res.end(REFUSAL);
}

/** Login of `--rpc-login`, which may call every method. */
export const FULL_LOGIN: Login = { name: 'login', refusalFrom: () => undefined };

/** Returns logins with one user, who has all rights. */
export function singleLogin(user: string, password: string): Logins {
  const found = { ha1: md5(`${user}:${REALM}:${password}`), login: FULL_LOGIN };
  return { byUser: (name) => (sameText(name, user) ? found : undefined) };
}

/** Creates a handler that requires the HTTP digest login of one user. */
export const digestAuth = (user: string, password: string, nonces?: NonceStore): Handler =>
  authentication(singleLogin(user, password), nonces);
