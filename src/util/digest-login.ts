import { DigestAnswer, readChallenge } from './digest-answer.js';

/** User name and password for HTTP digest authentication. */
export interface DigestCredentials {
  readonly user: string;
  readonly password: string;
}

/**
 * Client side of HTTP digest authentication: answers the newest challenge. A daemon needs one for each connection, since
 * monerod accepts a nonce only on the connection on which it was issued.
 */
export class DigestLogin {
  readonly #credentials: DigestCredentials;
  #answer: DigestAnswer | undefined;

  constructor(credentials: DigestCredentials) {
    this.#credentials = credentials;
  }

  /** Returns the header `Authorization` for the next request; undefined before the first challenge. */
  header(method: string, uri: string): string | undefined {
    return this.#answer?.next(method, uri);
  }

  /**
   * Takes the challenges of a 401.
   * @param headers values of `WWW-Authenticate`. @param isRepeated the refused request had an answer, which is final
   * unless its nonce had expired. @returns true if the request may be sent again, with another answer.
   */
  accept(headers: readonly string[], isRepeated = false): boolean {
    const challenge = readChallenge(headers);
    if (isRepeated && challenge?.stale !== true) return false;
    const { user, password } = this.#credentials;
    this.#answer = challenge && new DigestAnswer(challenge, user, password);
    return challenge !== undefined;
  }
}
