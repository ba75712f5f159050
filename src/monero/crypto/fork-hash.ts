import { blake2b } from '@noble/hashes/blake2.js';
import { utf8 } from '../../util/bytes.js';
import { CARROT_PERSONALISATION } from '../fork-rules.js';

const personalization = new Uint8Array(16);
personalization.set(utf8(CARROT_PERSONALISATION));

/**
 * Hashes data as the next fork does, by Blake2b with its personalisation.
 * @param length length of the hash, which is a parameter of Blake2b: a shorter hash is no part of a longer one [bytes].
 * @param key secret key of at most 64 bytes; absent: the hash has no key.
 */
export const forkHash = (length: number, data: Uint8Array, key?: Uint8Array): Uint8Array =>
  blake2b(data, { dkLen: length, personalization, ...(key && { key }) });
