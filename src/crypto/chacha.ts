import { chacha8 as nobleChacha8, chacha20orig } from '@noble/ciphers/chacha.js';

/** ChaCha20 as first published: 8-byte nonce, 64-bit counter from 0. Its own inverse. Source: crypto/chacha.c. */
export const chacha20 = (key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array =>
  chacha20orig(key, iv, data);

/** The 8-round variant of old files; same layout: the nonce is extended to the 12 bytes that noble expects. */
export function chacha8(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array {
  const nonce = new Uint8Array(12);
  nonce.set(iv, 4);
  return nobleChacha8(key, nonce, data);
}
