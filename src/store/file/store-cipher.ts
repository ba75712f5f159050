import { closeSync, constants, openSync, readSync } from 'node:fs';

/**
 * What the pages of a store are ciphered and authenticated with. AEGIS-256 takes an eighth of the time of
 * ChaCha20-Poly1305 where the processor has instructions for AES; stores of before it stay as they are.
 */
export type StoreCipher = 'aegis' | 'chacha20';

/** Of stores that are made now. */
export const NEW_CIPHER: StoreCipher = 'aegis';

/** Bytes of each page that a cipher keeps for its nonce and its tag. */
export const CIPHER_BYTES: Readonly<Record<StoreCipher, number>> = { aegis: 64, chacha20: 32 };

/** Where a ciphered database tells in the clear what its pages keep. Source: SQLite's file format, byte 20. */
export const CIPHER_BYTES_OFFSET = 20;

/**
 * What the store at a path is ciphered with, or is to be ciphered with where there is none yet. Not for a store that
 * is open: closing the file here would give up the locks that SQLite holds on it.
 */
export const cipherOf = (path: string): StoreCipher =>
  byteAt(path, CIPHER_BYTES_OFFSET) === CIPHER_BYTES.chacha20 ? 'chacha20' : NEW_CIPHER;

/** @returns undefined where no such byte can be read: opening the database says what is wrong, if anything is. */
function byteAt(path: string, offset: number): number | undefined {
  const byte = new Uint8Array(1);
  let file;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return readSync(file, byte, 0, 1, offset) === 1 ? byte[0] : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
