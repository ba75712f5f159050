import { DigestLogin } from '../util/http-digest.js';
import type { ClientAuth } from './options.js';

/** Creates the `Authorization` headers for all requests of a client. Its secrets are not enumerable. */
export class Login {
  readonly #bearer: string | undefined;
  readonly #digest: DigestLogin | undefined;

  /** @throws TypeError for a token that cannot be written to a header. */
  constructor(auth: ClientAuth | undefined) {
    if (auth === undefined) return;
    if (!('token' in auth)) this.#digest = new DigestLogin({ user: auth.username, password: auth.password });
    else if (/^[\w.~+/=-]+$/.test(auth.token)) this.#bearer = `Bearer ${auth.token}`;
    else throw new TypeError('the token contains characters that no token has');
  }

  /** Returns the header for the next request; undefined without a login, and before the first digest challenge. */
  header(method: string, uri: string): string | undefined {
    return this.#bearer ?? this.#digest?.header(method, uri);
  }

  /**
   * Handles the challenges in the answer to a refused request.
   * @param headers values of `WWW-Authenticate`. @param sent the `Authorization` header of that request.
   * @returns true if the request can be sent again.
   */
  challenged(headers: readonly string[], sent: string | undefined): boolean {
    return this.#digest?.accept(headers, sent !== undefined) ?? false;
  }
}
