/* Hashes for crypto/keccak.ts. */
import { absorbFull, absorbLast, clear, RATE, STATE } from './keccak';

/** Size of MESSAGE [bytes]; it takes 481 permutations to absorb. */
const CAPACITY: i32 = 481 * RATE;
const MESSAGE = memory.data(65416, 16);
const HASH = memory.data(32, 16);

/** Returns the size of MESSAGE [bytes]. */
export function capacity(): i32 {
  return CAPACITY;
}
/** Returns the address of MESSAGE. */
export function messageAt(): usize {
  return MESSAGE;
}
/** Returns the address of HASH. */
export function hashAt(): usize {
  return HASH;
}

/**
 * Absorbs all of MESSAGE. Called for messages longer than MESSAGE, of which the host writes one part after the other.
 */
export function absorb(): void {
  absorbFull(MESSAGE, CAPACITY);
  memory.fill(MESSAGE, 0, CAPACITY);
}

/**
 * Computes HASH = hash of all absorbed bytes, followed by the first `length` bytes of MESSAGE. Everything except HASH
 * is wiped.
 */
export function hash(length: i32): void {
  const taken = absorbFull(MESSAGE, length);
  absorbLast(MESSAGE + usize(taken), length - taken);
  for (let i: usize = 0; i < 32; i += 8) store<u64>(HASH + i, load<u64>(STATE + i));
  clear();
  memory.fill(MESSAGE, 0, length);
}
