import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;
const SALT_BYTES = 16;

/** Prefix of every token, by which scanners for leaked secrets recognise tokens. */
const PREFIX = 'wrpc_';

/** Salted hash of a bearer token, as the file of credentials has it; both fields in hex. */
export interface TokenHash {
  readonly salt: string;
  readonly sha256: string;
}

/** Parts of a bearer token that a client sends: the name of its credential, and a secret. */
export interface Token {
  readonly name: string;
  readonly secret: Buffer;
}

const hashOf = (salt: string, secret: Uint8Array): Buffer =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(secret).digest();

/** Creates a token for a credential. @returns text of the token, to be shown once, and its hash, to be stored. */
export function createToken(name: string): { readonly text: string; readonly hash: TokenHash } {
  const secret = randomBytes(SECRET_BYTES);
  const salt = randomBytes(SALT_BYTES).toString('hex');
  return {
    text: `${PREFIX}${name}.${secret.toString('base64url')}`,
    hash: { salt, sha256: hashOf(salt, secret).toString('hex') },
  };
}

/** Parses the text of a token; undefined if it has another form. */
export function readToken(text: string): Token | undefined {
  const [, name, encoded] = /^wrpc_([^.]+)\.([\w-]{43})$/.exec(text) ?? [];
  if (name === undefined || encoded === undefined) return undefined;
  return { name, secret: Buffer.from(encoded, 'base64url') };
}

/** Compares a secret with a hash in constant time. @param hash undefined: the result is false, after the same time. */
export function isTokenOf(hash: TokenHash | undefined, secret: Uint8Array): boolean {
  const { salt, sha256 } = hash ?? NOBODY;
  return timingSafeEqual(hashOf(salt, secret), Buffer.from(sha256, 'hex')) && hash !== undefined;
}

/** Hash of a random value that is not kept, so that no secret matches it. */
const NOBODY: TokenHash = { salt: '00'.repeat(SALT_BYTES), sha256: randomBytes(32).toString('hex') };

/** Creates a password for a digest login. */
export const createPassword = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Returns the HA1 of a digest login [hex]. Source: RFC 7616, 3.4.2. */
export const digestHash = (user: string, realm: string, password: string): string =>
  createHash('md5').update(`${user}:${realm}:${password}`).digest('hex');
