export const KEY_BYTES = 32;

/**
 * Returns the hash of a key for a hash table: its first four bytes. Keys are hashes or points, so these bytes are as
 * good as random.
 */
export const hashOf = (key: Uint8Array, at = 0): number =>
  (key[at] ?? 0) | ((key[at + 1] ?? 0) << 8) | ((key[at + 2] ?? 0) << 16) | ((key[at + 3] ?? 0) << 24);

/** Compares a key with the packed key at `start`, in variable time: for public keys and key images only. */
export function isKeyAt(packed: Uint8Array, start: number, key: Uint8Array, at = 0): boolean {
  for (let i = 0; i < KEY_BYTES; i++) if (packed[start + i] !== key[at + i]) return false;
  return true;
}
