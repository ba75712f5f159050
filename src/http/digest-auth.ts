import { authentication, md5, REALM, sameText } from './authentication.js';
import type { Login, Logins } from './caller.js';
import type { Handler } from './handler.js';
import type { NonceStore } from './nonce-store.js';

export { REALM } from './authentication.js';

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
