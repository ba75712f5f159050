import { createHmac } from 'node:crypto';
import type { Secret } from '../../util/secret.js';

/** Fields that a signature covers. */
export interface SignedMessage {
  /** Id of the event, the same in every attempt. */
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

/** Ids that contain neither a dot, which separates the signed fields, nor a line end. */
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
