import { DigestAnswer, readChallenge } from '../util/digest-answer.js';
import type { ClientAuth } from './options.js';

/** Creates the `Authorization` headers for all requests of a client. Its secrets are not enumerable. */
export class Login {
  readonly #auth: ClientAuth | undefined;
  #answer: DigestAnswer | undefined;

  /** @throws TypeError for a token that cannot be written to a header. */
  constructor(auth: ClientAuth | undefined) {
    if (auth !== undefined && 'token' in auth && !/^[\w.~+/=-]+$/.test(auth.token))
      throw new TypeError('the token contains characters that no token has');
    this.#auth = auth;
  }

  /** Returns the header for the next request; undefined without a login, and before the first digest challenge. */
  header(method: string, uri: string): string | undefined {
    const auth = this.#auth;
    return auth !== undefined && 'token' in auth ? `Bearer ${auth.token}` : this.#answer?.next(method, uri);
  }

  /**
   * Handles the challenges in the answer to a refused request.
   * @param headers values of `WWW-Authenticate`. @param sent the `Authorization` header of that request.
   * @returns true if the request can be sent again.
   */
  challenged(headers: readonly string[], sent: string | undefined): boolean {
    const auth = this.#auth;
    if (auth === undefined || 'token' in auth) return false;
    const challenge = readChallenge(headers);
    if (challenge === undefined) return false;
    // A right password with an expired nonce is refused as stale; any other refusal of a digest response is final.
    if (sent !== undefined && !challenge.stale) return false;
    this.#answer = new DigestAnswer(challenge, auth.username, auth.password);
    return true;
  }
}
