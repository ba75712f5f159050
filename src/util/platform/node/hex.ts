/* Text forms of bytes, and a search in them, by `Buffer`, which is the fastest of Node.js. */

/** Decodes bytes as Latin-1 text, one character per byte. */
export const toLatin1 = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('latin1');

/** Node's fast encoder of hex works on its own buffers only, so bytes are copied to this one before. */
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
  // character, which may be one.
  if (2 * bytes.length !== text.length || Buffer.byteLength(text) !== text.length) return undefined;
  // A short buffer is part of an ArrayBuffer that Node shares among buffers: it is copied.
  return bytes.length === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes);
}

/** Decodes base64. */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Buffer.from(text, 'base64');

/** Returns the first place from `from` on at which bytes contain others; -1 if there is none. */
export const indexOfBytes = (bytes: Uint8Array, searched: Uint8Array, from = 0): number =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(searched, from);
