import { createHash, randomBytes } from 'node:crypto';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

interface Challenge {
  readonly realm: string;
  readonly nonce: string;
  readonly algorithm: 'MD5' | 'MD5-sess';
  readonly qop: boolean;
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** Reads the parameters of one challenge, quoted or not. */
function parseChallenge(header: string): Challenge | undefined {
  if (!/^digest\s/i.test(header)) return undefined;
  const parameters = new Map(
    [...header.matchAll(/([a-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/gi)].map(
      ([, name = '', quoted, bare]) => [name.toLowerCase(), quoted ?? bare ?? ''],
    ),
  );
  const algorithm = parameters.get('algorithm') ?? 'MD5';
  const nonce = parameters.get('nonce');
  if (nonce === undefined || !/^md5(-sess)?$/i.test(algorithm)) return undefined;
  return {
    realm: parameters.get('realm') ?? '',
    nonce,
    algorithm: /sess/i.test(algorithm) ? 'MD5-sess' : 'MD5',
    qop: (parameters.get('qop') ?? '').split(',').some((value) => value.trim() === 'auth'),
  };
}

/**
 * Digest login (RFC 2617) over one connection: a daemon accepts a nonce only on the connection on which it was issued.
 */
export class DigestSession {
  readonly #credentials: Credentials;
  #challenge: Challenge | undefined;
  #count = 0;

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /** Stores the challenge of a 401. @returns false if none can be answered. */
  accept(headers: readonly string[]): boolean {
    const challenges = headers.map(parseChallenge).filter((challenge) => challenge !== undefined);
    this.#challenge = challenges.find(({ algorithm }) => algorithm === 'MD5') ?? challenges[0];
    this.#count = 0;
    return this.#challenge !== undefined;
  }

  /** @returns the Authorization header; undefined before the first challenge. */
  authorization(method: string, path: string): string | undefined {
    const challenge = this.#challenge;
    if (challenge === undefined) return undefined;
    const { realm, nonce, algorithm, qop } = challenge;
    const { user, password } = this.#credentials;
    const cnonce = randomBytes(12).toString('base64url');
    const nc = (++this.#count).toString(16).padStart(8, '0');
    const base = md5(`${user}:${realm}:${password}`);
    const ha1 = algorithm === 'MD5-sess' ? md5(`${base}:${nonce}:${cnonce}`) : base;
    const ha2 = md5(`${method}:${path}`);
    const response = md5(qop ? `${ha1}:${nonce}:${nc}:${cnonce}:auth:${ha2}` : `${ha1}:${nonce}:${ha2}`);
    const quoted = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`;
    return [
      `Digest username=${quoted(user)}`,
      `realm=${quoted(realm)}`,
      `nonce=${quoted(nonce)}`,
      `uri=${quoted(path)}`,
      `algorithm=${algorithm}`,
      `response="${response}"`,
      ...(qop ? ['qop=auth', `nc=${nc}`, `cnonce="${cnonce}"`] : []),
    ].join(', ');
  }
}
