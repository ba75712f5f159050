/** Error of a malformed header `Idempotency-Key`. */
export class BadIdempotencyKey extends Error {
  override readonly name = 'BadIdempotencyKey';
}

/** String of a structured field (RFC 8941, section 3.3.3), without parameters. */
const QUOTED = /^ *"((?:[ !#-[\]-~]|\\["\\])*)" *$/;

/** Longest key [bytes]. */
export const MAX_KEY_BYTES = 255;

/** True if a text can be an idempotency key: 1 to 255 bytes of UTF-8. */
export const isIdempotencyKey = (text: string): boolean =>
  text !== '' && Buffer.byteLength(text) <= MAX_KEY_BYTES;

/**
 * Parses the header `Idempotency-Key`: a quoted string, in which `\"` and `\\` are escapes.
 * @param header value of the header; undefined if the request has none. @throws BadIdempotencyKey Source:
 * draft-ietf-httpapi-idempotency-key-header.
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
