/*
 * View tags of outputs of the fork, in pairs: Blake2b whose key is the shared secret, of 1 byte with the length of a text,
 * the text, the input context and the output key. Source: enote_utils.cpp `make_carrot_view_tag`.
 */
import { BLOCK, hashBlocks, hashWord, setBlock, startPair, STATE, wipeBlake2b } from './blake2b-pair';
import { CARROT_TAG_BYTES, INPUT_CONTEXT_BYTES, VIEW_TAG_SEPARATOR } from '../../../fork-rules';

/** Messages of both lanes, padded with zeros. */
const MESSAGES = memory.data(256, 16);
/** Block of a key, padded with zeros. */
const KEY = memory.data(128, 16);

const MASK: u32 = u32((u64(1) << (8 * CARROT_TAG_BYTES)) - 1);

export function prepareForkTag(): void {
  for (let lane: usize = 0; lane < 2; lane++) {
    const message = MESSAGES + lane * BLOCK;
    store<u8>(message, u8(VIEW_TAG_SEPARATOR.length));
    for (let i = 0; i < VIEW_TAG_SEPARATOR.length; i++)
      store<u8>(message + 1 + usize(i), u8(VIEW_TAG_SEPARATOR.charCodeAt(i)));
  }
}

/** Hashes two shared secrets as keys, and writes the states, 64 bytes each. */
export function chainKeys(o: usize, other: usize, first: usize, second: usize): void {
  startPair(CARROT_TAG_BYTES, 32);
  memory.copy(KEY, first, 32);
  setBlock(0, KEY);
  memory.copy(KEY, second, 32);
  setBlock(1, KEY);
  hashBlocks(i32(BLOCK), false);
  for (let i: usize = 0; i < 8; i++) {
    store<u64>(o + (i << 3), hashWord(0, i));
    store<u64>(other + (i << 3), hashWord(1, i));
  }
}

/** Sets the message of a lane. @param chain state of {@link chainKeys}. */
export function setForkTag(lane: usize, chain: usize, context: usize, outputKey: usize): void {
  const text = MESSAGES + lane * BLOCK + 1 + usize(VIEW_TAG_SEPARATOR.length);
  memory.copy(text, context, INPUT_CONTEXT_BYTES);
  memory.copy(text + INPUT_CONTEXT_BYTES, outputKey, 32);
  setBlock(lane, MESSAGES + lane * BLOCK);
  for (let i: usize = 0; i < 8; i++) store<u64>(STATE + (i << 4) + (lane << 3), load<u64>(chain + (i << 3)));
}

/** Hashes the messages of both lanes. */
export function hashForkTags(): void {
  hashBlocks(i32(BLOCK) + 1 + VIEW_TAG_SEPARATOR.length + INPUT_CONTEXT_BYTES + 32, true);
}

/** Returns the view tag in a lane. */
@inline
export function forkTag(lane: usize): u32 {
  return u32(hashWord(lane, 0)) & MASK;
}

/** Wipes the keys and the states of the hashes. */
export function wipeForkTag(): void {
  memory.fill(KEY, 0, 128);
  wipeBlake2b();
}
