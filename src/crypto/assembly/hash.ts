/* Hashes of messages that fit into one area of memory, for crypto/keccak.ts. */
import { keccak } from './keccak';

const CAPACITY: i32 = 65536;
const MESSAGE = memory.data(65536, 16);
const HASH = memory.data(32, 16);

export function capacity(): i32 {
  return CAPACITY;
}
export function messageAt(): usize {
  return MESSAGE;
}
export function hashAt(): usize {
  return HASH;
}

/** HASH = hash of the first bytes of MESSAGE, which is wiped. */
export function hash(length: i32): void {
  keccak(HASH, MESSAGE, length);
  memory.fill(MESSAGE, 0, length);
}
