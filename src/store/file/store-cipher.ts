import { closeSync, constants, openSync, readSync } from 'node:fs';
import { keccak } from '../../monero/crypto/keccak.js';
import type { SecretKey } from '../../monero/crypto/types.js';
import { utf8 } from '../../util/bytes.js';

/**
 * Cipher that encrypts and authenticates the pages of a store. On processors with AES instructions AEGIS-256 takes an
 * eighth of the time of ChaCha20-Poly1305, which older stores keep.
 */
export type StoreCipher = 'aegis' | 'chacha20';

/** Cipher of new stores. */
export const NEW_CIPHER: StoreCipher = 'aegis';

/** Number of bytes per page that are reserved for nonce and authentication tag, by cipher. */
export const CIPHER_BYTES: Readonly<Record<StoreCipher, number>> = { aegis: 64, chacha20: 32 };

/**
 * Offset of the header byte that contains the number of reserved bytes per page; this byte is not encrypted. Source:
 * SQLite's file format, byte 20.
 */
export const CIPHER_BYTES_OFFSET = 20;

/**
 * Returns the cipher of the store at a path; the cipher of new stores if the file does not exist. The store must not be
 * open in this process: closing the file here would release SQLite's locks on it.
 */
export const cipherOf = (path: string): StoreCipher =>
  byteAt(path, CIPHER_BYTES_OFFSET) === CIPHER_BYTES.chacha20 ? 'chacha20' : NEW_CIPHER;

/**
 * Reads one byte of a file.
 * @returns undefined if the byte cannot be read; opening the database reports the error.
 */
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

const TAG = utf8('wallet-rpc store key');

/**
 * Derives the key of a wallet's store from the wallet's secret keys. It does not depend on the password, so the store
 * need not be rewritten for a new password.
 * @param spendSecret spend secret key, or the first secret of an account of the fork; undefined in a view-only wallet.
 */
export const storeKey = (viewSecret: SecretKey, spendSecret: Uint8Array | undefined): Uint8Array =>
  keccak(TAG, viewSecret, spendSecret ?? new Uint8Array());
