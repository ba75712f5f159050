import { blob, raw, type Codec } from '../../../util/codec.js';
import { struct } from './binary-archive.js';

/** Content of a keys file or cache file: nonce, then ChaCha ciphertext. */
export interface SealedFile {
  /** Nonce of 8 bytes. */
  readonly iv: Uint8Array;
  readonly ciphertext: Uint8Array;
}

/** Codec of a sealed file. Source: wallet2.h `keys_file_data`, `cache_file_data`. */
export const sealedFile: Codec<SealedFile> = struct<SealedFile>({ iv: raw(8), ciphertext: blob });
