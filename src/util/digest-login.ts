import { DigestAnswer, readChallenge } from './digest-answer.js';

/** Name and password for HTTP digest authentication. */
export interface DigestCredentials {
  readonly user: string;
  readonly password: string;
}

/** Digest login of one connection: monerod accepts a nonce only on the connection on which it was issued. */
export class DigestLogin {
  readonly #credentials: DigestCredentials;
  #answer: DigestAnswer | undefined;

  constructor(credentials: DigestCredentials) {
    this.#credentials = credentials;
  }

  /** Value of the header `Authorization` of the next request; undefined before the first challenge. */
  header(method: string, uri: string): string | undefined {
    return this.#answer?.next(method, uri);
  }

  /** Takes the challenges of a 401. @param headers values of `WWW-Authenticate`. @returns false if none can be answered. */
  accept(headers: readonly string[]): boolean {
    const challenge = readChallenge(headers);
    const { user, password } = this.#credentials;
    this.#answer = challenge && new DigestAnswer(challenge, user, password);
    return challenge !== undefined;
  }
}
