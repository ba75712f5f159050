/** The header `Idempotency-Key` of a request is malformed. */
export class BadIdempotencyKey extends Error {
  override readonly name = 'BadIdempotencyKey';
}

/** Structured-field string (RFC 8941, section 3.3.3), without parameters. */
const QUOTED = /^ *"((?:[ !#-[\]-~]|\\["\\])*)" *$/;

/** Longest key [bytes]. */
export const MAX_KEY_BYTES = 255;

/** Whether a text is an idempotency key: 1 to 255 bytes of UTF-8. */
export const isIdempotencyKey = (text: string): boolean =>
  text !== '' && Buffer.byteLength(text) <= MAX_KEY_BYTES;

/**
 * Reads the key of the header `Idempotency-Key`: a quoted string, in which `\"` and `\\` are escapes.
 * @param header undefined if the request has none. @throws BadIdempotencyKey
 * Source: draft-ietf-httpapi-idempotency-key-header.
 */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [, quoted] = QUOTED.exec(header) ?? [];
  if (quoted === undefined)
    throw new BadIdempotencyKey('the header Idempotency-Key is one quoted string: "…"');
  const key = quoted.replace(/\\(["\\])/g, '$1');
  if (!isIdempotencyKey(key))
    throw new BadIdempotencyKey(`an idempotency key has 1 to ${MAX_KEY_BYTES} bytes`);
  return key;
}
