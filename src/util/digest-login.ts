import { DigestAnswer, readChallenge } from './digest-answer.js';

/** User name and password for HTTP digest authentication. */
export interface DigestCredentials {
  readonly user: string;
  readonly password: string;
}

/** Digest login for one connection: monerod accepts a nonce only on the connection on which it was issued. */
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
   * Stores the challenge of an answer with status 401. @param headers values of `WWW-Authenticate`.
   * @returns false if no challenge can be answered.
   */
  accept(headers: readonly string[]): boolean {
    const challenge = readChallenge(headers);
    const { user, password } = this.#credentials;
    this.#answer = challenge && new DigestAnswer(challenge, user, password);
    return challenge !== undefined;
  }
}
