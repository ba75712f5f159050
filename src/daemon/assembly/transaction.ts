/* Locates in a transaction the keys, outputs and key images that a scan reads. Every list grows by less than the input. */
import { column } from './columns';
import { additionalKey, additionalKeys, mainKey, mainKeys, readExtra } from './extra';
import { byte, count, number, pass, position, varint } from './reading';

/** Where the bytes that the host gave begin: places are told from here on. */
let base: usize = 0;
export function setBase(address: usize): void {
  base = address;
}
export function place(address: usize): u32 {
  return u32(address - base);
}

const GEN_INPUT: u32 = 0xff;
const KEY_INPUT: u32 = 0x02;
const KEY_OUTPUT: u32 = 0x02;
const TAGGED_KEY_OUTPUT: u32 = 0x03;
/** In the list of view tags: the output carries none. */
const NO_TAG: u32 = 0x100;
/** One a transaction: its version, its first key image, whether it is a miner's reward. */
export const VERSIONS = column();
export const FIRST_IMAGES = column();
export const REWARDS = column();
/** Places of the key images of inputs. */
export const IMAGES = column();

/** One a transaction: its first output, its first key, and the number of its keys that are tried with every output. */
export const FIRST_OUTPUTS = column();
export const FIRST_KEYS = column();
export const MAIN_KEYS = column();
/** One an output: its key, its place in the transaction, its view tag. */
export const OUTPUTS = column();
export const OUTPUT_INDICES = column();
export const VIEW_TAGS = column();
/** Transaction public keys: those tried with every output, then one for each of the first outputs. */
export const KEYS = column();

function passInput(): void {
  const type = byte();
  if (type == GEN_INPUT) {
    number();
    return;
  }
  if (type != KEY_INPUT) throw new Error('unknown input type');
  varint();
  for (let offsets = count(); offsets > 0; offsets--) varint();
  IMAGES.push(place(pass(32)));
}

/** @param index of the output in its transaction. */
function passOutput(index: u32): void {
  varint();
  const type = byte();
  if (type != KEY_OUTPUT && type != TAGGED_KEY_OUTPUT) throw new Error('unknown output type');
  OUTPUTS.pushKey(pass(32));
  OUTPUT_INDICES.push(index);
  VIEW_TAGS.push16(type == KEY_OUTPUT ? NO_TAG : byte());
}

/**
 * Walks through a prefix and stops behind it: a pruned transaction goes on, which is nobody's business here.
 * @returns its version. Source: cryptonote_basic.h `transaction_prefix`.
 */
export function outlinePrefix(): u32 {
  const version = number();
  if (version != 1 && version != 2) throw new Error('unknown transaction version');
  varint();
  const inputs = count();
  FIRST_IMAGES.push(IMAGES.count);
  const before = IMAGES.count;
  for (let i: u32 = 0; i < inputs; i++) passInput();
  const outputCount = count();
  FIRST_OUTPUTS.push(OUTPUT_INDICES.count);
  for (let i: u32 = 0; i < outputCount; i++) passOutput(i);
  const length = number();
  const extra = pass(length);
  VERSIONS.pushByte(u32(version));
  REWARDS.pushByte(inputs == 1 && IMAGES.count == before ? 1 : 0);
  locateKeys(extra, outputCount);
  return u32(version);
}

/** Of the transaction outlined last: whether it is a miner's. */
export function isReward(): bool {
  return load<u8>(REWARDS.data + REWARDS.used - 1) == 1;
}

/**
 * Every output is tried with each main key, and with its own of the additional ones; additional keys without a main
 * key count for nothing. Source: wallet2.cpp `cache_tx_data`, `process_new_transaction`.
 */
function locateKeys(extra: usize, outputCount: u32): void {
  FIRST_KEYS.push(u32(KEYS.used >> 5));
  readExtra(extra, position());
  const main: u32 = outputCount == 0 ? 0 : mainKeys();
  MAIN_KEYS.push(main);
  if (main == 0) return;
  for (let i: u32 = 0; i < main; i++) KEYS.pushKey(mainKey(i));
  const additional = min(additionalKeys(), outputCount);
  for (let i: u32 = 0; i < additional; i++) KEYS.pushKey(additionalKey(i));
}
