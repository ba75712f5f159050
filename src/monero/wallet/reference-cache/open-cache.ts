import { chacha20, chacha8 } from '../../crypto/chacha.js';
import { CodecError, decode } from '../../../util/codec.js';
import { sealedFile } from '../exchange/sealed-file.js';
import { BOOST_HEAD } from './boost-archive.js';
import { readBoostCache } from './boost-cache.js';
import { CACHE_MAGIC, cacheWithoutRings, cacheWithWideIndices, type ReferenceCache } from './cache.js';

/** Number of leading bytes of a decrypted cache from which its format is detected. */
const HEAD_BYTES = 64;

const startsWith = (bytes: Uint8Array, head: Uint8Array): boolean =>
  Buffer.compare(bytes.subarray(0, head.length), head) === 0;

function readArchive(plain: Uint8Array): ReferenceCache {
  try {
    return decode(cacheWithoutRings, plain);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    try {
      return decode(cacheWithWideIndices, plain);
    } catch {
      throw error;
    }
  }
}

/**
 * Decrypts and reads a cache file, without rings.
 * @param bytes the whole file.
 * @param key 32 bytes.
 * @returns undefined if the file is encrypted with another key.
 * @throws CodecError if the cache is damaged, too old or of an unknown newer version. Source: wallet2.cpp
 * `load_wallet_cache`.
 */
export function openCache(bytes: Uint8Array, key: Uint8Array): ReferenceCache | undefined {
  const { iv, ciphertext } = decode(sealedFile, bytes);
  for (const cipher of [chacha20, chacha8]) {
    const head = cipher(key, iv, ciphertext.subarray(0, HEAD_BYTES));
    if (startsWith(head, CACHE_MAGIC)) return readArchive(cipher(key, iv, ciphertext));
    if (startsWith(head, BOOST_HEAD)) return readBoostCache(cipher(key, iv, ciphertext));
  }
  return undefined;
}
