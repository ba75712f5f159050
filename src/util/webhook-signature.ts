import { createHmac } from 'node:crypto';

/** Prefix of a symmetric secret in text form. Source: Standard Webhooks 1.0.0, signature scheme. */
export const SECRET_PREFIX = 'whsec_';
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** Prefix of a symmetric signature. Source: Standard Webhooks 1.0.0, signature scheme. */
const SIGNATURE_PREFIX = 'v1,';

/**
 * Parses the key of a secret: `whsec_` and base64 of 24 to 64 bytes.
 * @throws RangeError for any other text; its message contains no part of the text.
 */
export function parseWebhookKey(text: string): Uint8Array {
  const encoded = text.slice(SECRET_PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  // Node skips characters that are not base64, so the encoding of the result is compared with the text.
  const canonical = text.startsWith(SECRET_PREFIX) && bytes.toString('base64') === encoded;
  if (!canonical || bytes.length < MIN_BYTES || bytes.length > MAX_BYTES)
    throw new RangeError('a webhook secret is whsec_ and the base64 form of 24 to 64 bytes');
  return Uint8Array.from(bytes);
}

/** Fields that a signature covers. */
export interface SignedMessage {
  /** Id of the event, which is the same in every attempt. */
  readonly id: string;
  /** Unix time of the attempt [s]. */
  readonly timestamp: number;
  /** Body of the request, exactly as sent. */
  readonly body: string | Uint8Array;
}

/**
 * Signs a message: `v1,` and the base64 form of HMAC-SHA256 over `id.timestamp.body`. Source: Standard Webhooks 1.0.0,
 * signature scheme.
 */
export const webhookSignature = (key: Uint8Array, { id, timestamp, body }: SignedMessage): string =>
  SIGNATURE_PREFIX +
  createHmac('sha256', key).update(`${id}.${timestamp}.`, 'utf8').update(body).digest('base64');
