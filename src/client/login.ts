import { DigestAnswer, readChallenge } from '../util/digest-answer.js';
import type { ClientAuth } from './options.js';

/** Makes the `Authorization` headers of all requests of a client. Its secrets are not enumerable. */
export class Login {
  readonly #auth: ClientAuth | undefined;
  #answer: DigestAnswer | undefined;

  /** @throws TypeError for a token that a header cannot hold. */
  constructor(auth: ClientAuth | undefined) {
    if (auth !== undefined && 'token' in auth && !/^[\w.~+/=-]+$/.test(auth.token))
      throw new TypeError('the token contains characters that no token has');
    this.#auth = auth;
  }

  /** Header of the next request; undefined without a login, and before the first digest challenge. */
  header(method: string, uri: string): string | undefined {
    const auth = this.#auth;
    return auth !== undefined && 'token' in auth ? `Bearer ${auth.token}` : this.#answer?.next(method, uri);
  }

  /**
   * Takes the challenges of a refused request.
   * @param sent its own `Authorization` header. @returns true if the request may now be sent again.
   */
  challenged(headers: readonly string[], sent: string | undefined): boolean {
    const auth = this.#auth;
    if (auth === undefined || 'token' in auth) return false;
    const challenge = readChallenge(headers);
    if (challenge === undefined) return false;
    // A right password with an expired nonce is refused as stale. Any other refusal of an answer is final.
    if (sent !== undefined && !challenge.stale) return false;
    this.#answer = new DigestAnswer(challenge, auth.username, auth.password);
    return true;
  }
}
