import { chacha8 as nobleChacha8, chacha20orig } from '@noble/ciphers/chacha.js';

const KEY_LENGTH = 32;
const IV_LENGTH = 8;

function check(key: Uint8Array, iv: Uint8Array): void {
  if (key.length !== KEY_LENGTH) throw new RangeError(`chacha key: expected 32 bytes, got ${key.length}`);
  if (iv.length !== IV_LENGTH) throw new RangeError(`chacha iv: expected 8 bytes, got ${iv.length}`);
}

/**
 * Encrypts or decrypts with ChaCha20 as first published: 8-byte nonce, 64-bit counter from 0. Both directions are the
 * same.
 * @throws RangeError for a key or nonce of another length. Source: crypto/chacha.c.
 */
export function chacha20(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array {
  check(key, iv);
  return chacha20orig(key, iv, data);
}

/**
 * Encrypts or decrypts with the 8-round variant, which old files use; otherwise as {@link chacha20}. noble's
 * implementation has a 32-bit counter and a 12-byte nonce. A nonce prefixed with four zero bytes gives the same layout,
 * up to 256 GiB.
 * @throws RangeError for a key or nonce of another length. Source: crypto/chacha.c.
 */
export function chacha8(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array {
  check(key, iv);
  const nonce = new Uint8Array(12);
  nonce.set(iv, 4);
  return nobleChacha8(key, nonce, data);
}
