import { pbkdf2 } from '@noble/hashes/pbkdf2.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type * as node from '../node/crypto.js';

/** Largest number of bytes of one call of Web Crypto. */
const MOST_BYTES = 65_536;

export const randomBytes: typeof node.randomBytes = (length) => {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += MOST_BYTES) crypto.getRandomValues(bytes.subarray(at, at + MOST_BYTES));
  return bytes;
};

export const pbkdf2Sha256: typeof node.pbkdf2Sha256 = (password, salt, iterations) =>
  pbkdf2(sha256, password, salt, { c: iterations, dkLen: 32 });
