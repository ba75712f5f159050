import { systemRng, type Rng } from '../../util/random.js';
import { Secret } from '../../util/secret.js';
import {
  parseWebhookKey,
  SECRET_PREFIX,
  webhookSignature,
  type SignedMessage,
} from '../../util/webhook-signature.js';

/** Length of a new secret [bytes]: the output length of HMAC-SHA256. */
const NEW_BYTES = 32;

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
  SECRET_PREFIX + Buffer.from(secret.expose()).toString('base64');

/**
 * Parses `whsec_` and base64 of 24 to 64 bytes.
 * @throws RangeError for any other text; its message contains no part of the text.
 */
export const parseSecret = (text: string): Secret => new Secret(parseWebhookKey(text));

/** Returns the secrets that sign at a time, in the given order. @param now Unix time [ms]. */
export const activeSecrets = (secrets: readonly SigningSecret[], now: number): Secret[] =>
  secrets.filter(({ until }) => until === undefined || now < until).map(({ secret }) => secret);

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
export function signatureHeaders(message: SignedMessage, secrets: readonly Secret[]): SignatureHeaders {
  const { id, timestamp } = message;
  if (secrets.length === 0) throw new RangeError('a webhook is never sent without a signature');
  if (!ID.test(id)) throw new RangeError('a webhook id has letters, digits, _ and - only');
  if (!Number.isSafeInteger(timestamp) || timestamp < 0)
    throw new RangeError('a webhook timestamp is a whole number of seconds');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => webhookSignature(secret.expose(), message)).join(' '),
  };
}
