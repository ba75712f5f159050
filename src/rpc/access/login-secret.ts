import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;
const SALT_BYTES = 16;

/** Marks a token, so that scanners for leaked secrets recognise it. */
const PREFIX = 'wrpc_';

/** Hash of a bearer token, as it is stored. Both in hex. */
export interface TokenHash {
  readonly salt: string;
  readonly sha256: string;
}

/** Bearer token as it is presented: the name of its credential, and a secret. */
export interface Token {
  readonly name: string;
  readonly secret: Buffer;
}

const hashOf = (salt: string, secret: Uint8Array): Buffer =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(secret).digest();

/** Creates a token for a credential. @returns its text, to be shown once, and the hash to be stored. */
export function createToken(name: string): { readonly text: string; readonly hash: TokenHash } {
  const secret = randomBytes(SECRET_BYTES);
  const salt = randomBytes(SALT_BYTES).toString('hex');
  return {
    text: `${PREFIX}${name}.${secret.toString('base64url')}`,
    hash: { salt, sha256: hashOf(salt, secret).toString('hex') },
  };
}

/** Reads the text of a token; undefined if it has another form. */
export function readToken(text: string): Token | undefined {
  const [, name, encoded] = /^wrpc_([^.]+)\.([\w-]{43})$/.exec(text) ?? [];
  if (name === undefined || encoded === undefined) return undefined;
  return { name, secret: Buffer.from(encoded, 'base64url') };
}

/** Compares in constant time. @param hash undefined: as if it were the hash of another secret. */
export function isTokenOf(hash: TokenHash | undefined, secret: Uint8Array): boolean {
  const { salt, sha256 } = hash ?? NOBODY;
  return timingSafeEqual(hashOf(salt, secret), Buffer.from(sha256, 'hex')) && hash !== undefined;
}

/** Hash that no known secret has. */
const NOBODY: TokenHash = { salt: '00'.repeat(SALT_BYTES), sha256: randomBytes(32).toString('hex') };

/** Creates a password for a digest login. */
export const createPassword = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** HA1 of a digest login, in hex. Source: RFC 7616, 3.4.2. */
export const digestHash = (user: string, realm: string, password: string): string =>
  createHash('md5').update(`${user}:${realm}:${password}`).digest('hex');
