import type * as node from '../node/hex.js';

/* Text forms of bytes, and a search in bytes, for platforms without `Buffer`. */

export const toLatin1: typeof node.toLatin1 = (bytes) => {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
};

const DIGITS = '0123456789abcdef';

export const toHex: typeof node.toHex = (bytes) => {
  let text = '';
  for (const byte of bytes) text += DIGITS.charAt(byte >> 4) + DIGITS.charAt(byte & 15);
  return text;
};

export const tryFromHex: typeof node.tryFromHex = (text) => {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
};

export const fromBase64: typeof node.fromBase64 = (text) =>
  Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

export const indexOfBytes: typeof node.indexOfBytes = (bytes, searched, from = 0) => {
  for (let at = from; at + searched.length <= bytes.length; at++)
    if (searched.every((byte, i) => byte === bytes[at + i])) return at;
  return -1;
};
