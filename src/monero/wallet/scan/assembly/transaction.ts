/**
 * Finds the keys, outputs and key images of a transaction that a scan needs. Every column grows by fewer bytes than the
 * input has.
 */
import { GEN_INPUT, KEY_INPUT, KEY_OUTPUT, NO_VIEW_TAG, TAGGED_KEY_OUTPUT } from '../../../format';
import { column } from './columns';
import { additionalKey, additionalKeys, mainKey, mainKeys, readExtra } from './extra';
import { byte, count, number, skip, position, varint } from './reading';

/** Address of the input, relative to which offsets are given. */
let base: usize = 0;
/** Sets the address from which offsets are counted. */
export function setBase(address: usize): void {
  base = address;
}
/** Returns the offset of an address in the input [bytes]. */
export function offsetOf(address: usize): u32 {
  return u32(address - base);
}

/**
 * For each transaction, its version, the index of its first key image in `IMAGES`, and 1 if it is a miner transaction.
 */
export const VERSIONS = column();
export const FIRST_IMAGES = column();
export const REWARDS = column();
/** Byte offsets of the key images of all inputs, in the input memory. */
export const IMAGES = column();

/**
 * For each transaction, the index of its first output, the index of its first key, and the number of its keys that are
 * tried with every output.
 */
export const FIRST_OUTPUTS = column();
export const FIRST_KEYS = column();
export const MAIN_KEYS = column();
/** For each output, its output key, its index in its transaction, and its view tag. */
export const OUTPUTS = column();
export const OUTPUT_INDICES = column();
export const VIEW_TAGS = column();
/**
 * Public keys of all transactions; for each the main keys, then additional keys, the n-th of which belongs to the n-th
 * output.
 */
export const KEYS = column();

function readInput(): void {
  const type = byte();
  if (type == GEN_INPUT) {
    number();
    return;
  }
  if (type != KEY_INPUT) throw new Error('unknown input type');
  varint();
  for (let offsets = count(); offsets > 0; offsets--) varint();
  IMAGES.push(offsetOf(skip(32)));
}

/** Reads an output. @param index index of the output in its transaction. */
function readOutput(index: u32): void {
  varint();
  const type = byte();
  if (type != KEY_OUTPUT && type != TAGGED_KEY_OUTPUT) throw new Error('unknown output type');
  OUTPUTS.pushKey(skip(32));
  OUTPUT_INDICES.push(index);
  VIEW_TAGS.push16(type == KEY_OUTPUT ? NO_VIEW_TAG : byte());
}

/**
 * Parses the prefix of a transaction. The rest of the transaction is not read.
 * @returns the version. Source: cryptonote_basic.h `transaction_prefix`.
 */
export function parsePrefix(): u32 {
  const version = number();
  if (version != 1 && version != 2) throw new Error('unknown transaction version');
  varint();
  const inputs = count();
  FIRST_IMAGES.push(IMAGES.count);
  const before = IMAGES.count;
  for (let i: u32 = 0; i < inputs; i++) readInput();
  const outputs = count();
  FIRST_OUTPUTS.push(OUTPUT_INDICES.count);
  for (let i: u32 = 0; i < outputs; i++) readOutput(i);
  const length = number();
  const extra = skip(length);
  VERSIONS.pushByte(u32(version));
  REWARDS.pushByte(inputs == 1 && IMAGES.count == before ? 1 : 0);
  locateKeys(extra, outputs);
  return u32(version);
}

/** Returns the number of key images of the transaction that was parsed last. */
export function inputCount(): u32 {
  return IMAGES.count - FIRST_IMAGES.get(FIRST_IMAGES.count - 1);
}
/** Returns the number of outputs of the transaction that was parsed last. */
export function outputCount(): u32 {
  return OUTPUT_INDICES.count - FIRST_OUTPUTS.get(FIRST_OUTPUTS.count - 1);
}

/** Returns the version of the transaction that was parsed last. */
export function lastVersion(): u32 {
  return load<u8>(VERSIONS.data + VERSIONS.used - 1);
}

/** Returns true if the transaction that was parsed last is a miner transaction. */
export function isCoinbase(): bool {
  return load<u8>(REWARDS.data + REWARDS.used - 1) == 1;
}

/**
 * Pushes the public keys with which a transaction's outputs are tried: each output with every main key and with its own
 * additional key. Additional keys without a main key are ignored. Source: wallet2.cpp `cache_tx_data`,
 * `process_new_transaction`.
 */
function locateKeys(extra: usize, outputs: u32): void {
  FIRST_KEYS.push(u32(KEYS.used >> 5));
  readExtra(extra, position());
  const main: u32 = outputs == 0 ? 0 : mainKeys();
  MAIN_KEYS.push(main);
  if (main == 0) return;
  for (let i: u32 = 0; i < main; i++) KEYS.pushKey(mainKey(i));
  const additional = min(additionalKeys(), outputs);
  for (let i: u32 = 0; i < additional; i++) KEYS.pushKey(additionalKey(i));
}
