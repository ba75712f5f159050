import { createHash, randomBytes } from 'node:crypto';

/** Parameters of a login by HTTP digest, by name in lower case. */
export type DigestParameters = Readonly<Record<string, string | undefined>>;

/** A parameter: a name with a quoted text, or with a token. */
const PARAMETER = /([\w-]+)\s*=\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s",]+))\s*/y;

/** One parameter in a header. */
export interface DigestParameter {
  /** Name in lower case. */
  readonly name: string;
  /** Token, or quoted text with its backslashes. */
  readonly value: string;
  /** Place after the parameter and the spaces that follow it. */
  readonly end: number;
}

/** Reads the parameter at a place of a header of HTTP digest, in linear time; undefined if there is no parameter. */
function parameterAt(header: string, at: number): DigestParameter | undefined {
  PARAMETER.lastIndex = at;
  const [whole, name = '', quoted, token = ''] = PARAMETER.exec(header) ?? [];
  if (whole === undefined) return undefined;
  return { name: name.toLowerCase(), value: quoted ?? token, end: at + whole.length };
}

const SCHEME = /\s*digest\s*/iy;
const SEPARATOR = /,[\s,]*|$/y;

/**
 * Reads the header of a login by HTTP digest, in a time that is linear in its length. Names have any case, spaces may
 * surround their equals signs, the value of any parameter may be quoted, and the last parameter of a name counts.
 * Source: http_auth.cpp `parse`, which knows fewer names, and takes some values only with quotes and others only
 * without.
 * @returns undefined for another kind of login, and for a header that cannot be read.
 */
export function readDigestParameters(header: string): DigestParameters | undefined {
  SCHEME.lastIndex = 0;
  if (!SCHEME.test(header)) return undefined;
  const parameters = Object.create(null) as Record<string, string>;
  for (let at = SCHEME.lastIndex; at < header.length; at = SEPARATOR.lastIndex) {
    const parameter = parameterAt(header, at);
    if (parameter === undefined) return undefined;
    SEPARATOR.lastIndex = parameter.end;
    if (!SEPARATOR.test(header)) return undefined;
    parameters[parameter.name] = parameter.value;
  }
  return parameters;
}

/** Hash functions of RFC 7616, strongest first: name in the RFC, name in Node.js. */
const HASHES: readonly (readonly [name: string, hash: string])[] = [
  ['SHA-512-256', 'sha512-256'],
  ['SHA-256', 'sha256'],
  ['MD5', 'md5'],
];

/** Challenge of a server for HTTP digest authentication. */
export interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque?: string;
  /** Name of the algorithm in RFC 7616. */
  readonly algorithm: string;
  /** False for a challenge of RFC 2069, whose response contains neither a counter nor a nonce of the client. */
  readonly hasQop: boolean;
  /** True if the nonce of the refused request has expired, while its login was right. */
  readonly stale: boolean;
}

/** Yields the challenges in a `WWW-Authenticate` header: scheme in lower case, and parameters. */
function* challengesIn(header: string): Generator<readonly [string, ReadonlyMap<string, string>]> {
  const scheme = /[\s,]*([\w-]+)(?:\s*,\s*|\s+|$)/y;
  const separator = /,?\s*/y;
  for (let at = 0; at < header.length;) {
    scheme.lastIndex = at;
    const [whole, name = ''] = scheme.exec(header) ?? [];
    if (whole === undefined) return;
    at += whole.length;
    const parameters = new Map<string, string>();
    for (let found = parameterAt(header, at); found !== undefined; found = parameterAt(header, at)) {
      parameters.set(found.name, found.value.replace(/\\(.)/g, '$1'));
      separator.lastIndex = found.end;
      separator.exec(header);
      at = separator.lastIndex;
    }
    yield [name.toLowerCase(), parameters];
  }
}

const plainOf = (algorithm: string): string => algorithm.replace(/-sess$/i, '').toUpperCase();
const rankOf = (algorithm: string): number => HASHES.findIndex(([name]) => name === plainOf(algorithm));

/**
 * Parses the digest challenge with the strongest algorithm.
 * @param headers values of `WWW-Authenticate`, each with one or more challenges.
 * @returns undefined without a challenge that has a known algorithm and allows `qop=auth`.
 */
export function readChallenge(headers: readonly string[]): DigestChallenge | undefined {
  let best: DigestChallenge | undefined;
  for (const [scheme, parameters] of challengesIn(headers.join(', '))) {
    const algorithm = parameters.get('algorithm') ?? 'MD5';
    const [realm, nonce, opaque] = ['realm', 'nonce', 'opaque'].map((name) => parameters.get(name));
    const qops = parameters
      .get('qop')
      ?.split(',')
      .map((qop) => qop.trim());
    if (scheme !== 'digest' || realm === undefined || nonce === undefined) continue;
    if (qops?.includes('auth') === false || rankOf(algorithm) < 0) continue;
    if (best !== undefined && rankOf(best.algorithm) <= rankOf(algorithm)) continue;
    const stale = parameters.get('stale')?.toLowerCase() === 'true';
    const hasQop = qops !== undefined;
    best = { realm, nonce, algorithm, hasQop, stale, ...(opaque === undefined ? {} : { opaque }) };
  }
  return best;
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/**
 * Answers one challenge for any number of requests, with a counter that increases with each request, so that a request
 * needs only one round trip. Source: RFC 7616, section 3.4.
 */
export class DigestAnswer {
  readonly challenge: DigestChallenge;
  readonly #username: string;
  readonly #hash: (text: string) => string;
  readonly #ha1: string;
  readonly #cnonce: string;
  #count = 0;

  /** @param cnonce nonce of the client; tests replace the random nonce. */
  constructor(
    challenge: DigestChallenge,
    username: string,
    password: string,
    cnonce = randomBytes(16).toString('hex'),
  ) {
    const [, name = 'md5'] = HASHES[rankOf(challenge.algorithm)] ?? [];
    const hash = (text: string): string => createHash(name).update(text).digest('hex');
    const secret = hash(`${username}:${challenge.realm}:${password}`);
    this.challenge = challenge;
    this.#username = username;
    this.#hash = hash;
    this.#cnonce = cnonce;
    this.#ha1 = /-sess$/i.test(challenge.algorithm) ? hash(`${secret}:${challenge.nonce}:${cnonce}`) : secret;
  }

  /** Returns the header `Authorization` for the next request. @param uri path and query. */
  next(method: string, uri: string): string {
    const { realm, nonce, opaque, algorithm, hasQop } = this.challenge;
    this.#count += 1;
    const nc = this.#count.toString(16).padStart(8, '0');
    const ha2 = this.#hash(`${method}:${uri}`);
    const counted = hasQop ? `${nc}:${this.#cnonce}:auth:` : '';
    const response = this.#hash(`${this.#ha1}:${nonce}:${counted}${ha2}`);
    const parameters = [
      `username=${quoted(this.#username)}`,
      `realm=${quoted(realm)}`,
      `nonce=${quoted(nonce)}`,
      `uri=${quoted(uri)}`,
      `algorithm=${algorithm}`,
      `response="${response}"`,
      ...(hasQop ? ['qop=auth', `nc=${nc}`, `cnonce=${quoted(this.#cnonce)}`] : []),
      ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ];
    return `Digest ${parameters.join(', ')}`;
  }
}

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
   * Takes the challenges of an answer with status 401.
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
