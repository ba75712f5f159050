/* Text forms of bytes, and a search in bytes, by `Buffer`, which is the fastest way in Node.js. */

/** Decodes bytes as Latin-1 text, one character per byte. */
export const toLatin1 = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('latin1');

/**
 * Buffer to which bytes are copied before they are encoded, because the fast encoder of Node.js works only on its own
 * buffers.
 */
const SCRATCH = Buffer.alloc(256);

/** Encodes bytes as lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  const { buffer, byteOffset, length } = bytes;
  if (length > SCRATCH.length) return Buffer.from(buffer, byteOffset, length).toString('hex');
  SCRATCH.set(bytes);
  return SCRATCH.toString('hex', 0, length);
}

/**
 * Decodes hex digits of either case. @returns undefined for a foreign character or an odd number of digits.
 */
export function tryFromHex(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'hex');
  // Node's decoder stops at the first character that is not a hex digit, but uses only the low byte of a non-ASCII
  // character, which may be a hex digit.
  if (2 * bytes.length !== text.length || Buffer.byteLength(text) !== text.length) return undefined;
  // A short buffer is copied, because it is a part of an ArrayBuffer that Node.js shares among buffers.
  return bytes.length === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes);
}

/** Decodes base64. */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Buffer.from(text, 'base64');

/** Returns the first place from `from` on at which bytes contain other bytes; -1 if there is no such place. */
export const indexOfBytes = (bytes: Uint8Array, searched: Uint8Array, from = 0): number =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(searched, from);
