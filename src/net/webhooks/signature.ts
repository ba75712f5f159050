import { systemRng, type Rng } from '../../util/random.js';
import { Secret } from '../../util/secret.js';
import { createHmac } from 'node:crypto';

/** Prefix of a symmetric secret in text form. Source: Standard Webhooks 1.0.0, signature scheme. */
const PREFIX = 'whsec_';
/** Length of a new secret [bytes]: the output length of HMAC-SHA256. */
const NEW_BYTES = 32;
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** HMAC key of an endpoint, with the time at which its use ends. */
export interface SigningSecret {
  readonly secret: Secret;
  /** Unix time at which a replaced secret expires [ms]; absent for the current secret. */
  readonly until?: number;
}

/** Generates a secret of 32 random bytes. */
export const createSecret = (rng: Rng = systemRng): Secret => new Secret(rng(NEW_BYTES));

/** Encodes a secret as `whsec_` and base64. The text must not be logged. */
export const formatSecret = (secret: Secret): string =>
  PREFIX + Buffer.from(secret.expose()).toString('base64');

/**
 * Parses `whsec_` and base64 of 24 to 64 bytes.
 * @throws RangeError for any other text; its message contains no part of the text.
 */
export function parseSecret(text: string): Secret {
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  // Node skips characters that are not base64, so the encoding of the result is compared with the text.
  const canonical = text.startsWith(PREFIX) && bytes.toString('base64') === encoded;
  if (!canonical || bytes.length < MIN_BYTES || bytes.length > MAX_BYTES)
    throw new RangeError('a webhook secret is whsec_ and the base64 form of 24 to 64 bytes');
  return new Secret(Uint8Array.from(bytes));
}

/** Returns the secrets that sign at a time, in the given order. @param now Unix time [ms]. */
export const activeSecrets = (secrets: readonly SigningSecret[], now: number): Secret[] =>
  secrets.filter(({ until }) => until === undefined || now < until).map(({ secret }) => secret);

/** Fields that a signature covers. */
export interface SignedMessage {
  /** Id of the event, which is the same in every attempt. */
  readonly id: string;
  /** Unix time of the attempt [s]. */
  readonly timestamp: number;
  /** Body of the request, exactly as sent. */
  readonly body: string;
}

/** Headers that identify and authenticate a delivery. */
export interface SignatureHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** Matches ids that contain neither a dot, which separates the signed fields, nor a line end. */
const ID = /^[\w-]{1,64}$/;

/**
 * Signs a message with each secret: `v1,` and the base64 form of HMAC-SHA256 over `id.timestamp.body`.
 * @param secrets newest first.
 * @throws RangeError without secrets, for an id with characters other than letters, digits, `_` and `-`, and for a
 * timestamp that is not a whole number of seconds. Source: Standard Webhooks 1.0.0, signature scheme and webhook
 * headers.
 */
export function signatureHeaders(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly Secret[],
): SignatureHeaders {
  if (secrets.length === 0) throw new RangeError('a webhook is never sent without a signature');
  if (!ID.test(id)) throw new RangeError('a webhook id has letters, digits, _ and - only');
  if (!Number.isSafeInteger(timestamp) || timestamp < 0)
    throw new RangeError('a webhook timestamp is a whole number of seconds');
  const content = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${hmac(secret, content)}`).join(' '),
  };
}

const hmac = (secret: Secret, content: string): string =>
  createHmac('sha256', secret.expose()).update(content, 'utf8').digest('base64');
