import { blake2b } from '@noble/hashes/blake2.js';
import { utf8 } from '../../util/bytes.js';
import { CARROT_PERSONALISATION } from '../fork-rules.js';

/** Personalisation of BLAKE2b, padded with zeros to its 16 bytes. */
const PERSONALISATION = new Uint8Array(16);
PERSONALISATION.set(utf8(CARROT_PERSONALISATION));

/**
 * Computes BLAKE2b with the personalisation of the fork.
 * @param length length of the hash [bytes], 1 to 64. It is a parameter of the hash: a shorter hash is not the beginning of a
 * longer one.
 * @param key up to 64 bytes; absent: the hash has no key. Source: blake2b.c `blake2b_monero`.
 */
export const blake2 = (length: number, message: Uint8Array, key?: Uint8Array): Uint8Array =>
  blake2b(message, {
    dkLen: length,
    personalization: PERSONALISATION,
    ...(key === undefined ? {} : { key }),
  });
