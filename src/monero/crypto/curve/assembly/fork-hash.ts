/* A hash of the fork of a message of the host: Blake2b with its personalisation. */
import { BLOCK, hashBlocks, hashWord, setBlock, startPair, wipeBlake2b } from './blake2b-pair';

/** Key and message: a block with the key, if there is one, then up to two blocks of the message; zero after their ends. */
const INPUT = memory.data(384, 16);
const HASH = memory.data(64, 16);

export function forkInputAt(): usize {
  return INPUT;
}
export function forkHashAt(): usize {
  return HASH;
}

/**
 * Computes the hash of the input.
 * @param length length of the hash [bytes].
 * @param keyLength length of the key [bytes]; 0 without a key: the message is at the beginning of the input.
 * @param messageLength length of the message, up to 256 [bytes].
 */
export function hashInput(length: i32, keyLength: i32, messageLength: i32): void {
  const total = (keyLength > 0 ? i32(BLOCK) : 0) + messageLength;
  startPair(length, keyLength);
  let end = 0;
  do {
    setBlock(0, INPUT + usize(end));
    setBlock(1, INPUT + usize(end));
    end += i32(BLOCK);
    hashBlocks(min(end, total), end >= total);
  } while (end < total);
  for (let i: usize = 0; i < 8; i++) store<u64>(HASH + (i << 3), hashWord(0, i));
}

/** Wipes input and hash, which may be secrets, and all temporary values. */
export function wipeForkHash(): void {
  memory.fill(INPUT, 0, 384);
  memory.fill(HASH, 0, 64);
  wipeBlake2b();
}
