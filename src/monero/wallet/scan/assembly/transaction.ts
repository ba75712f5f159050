/**
 * Finds the keys, outputs and key images of a transaction that a scan needs. Every column grows by fewer bytes than the
 * input has.
 */
import {
  ANCHOR_BYTES,
  CARROT_OUTPUT,
  CARROT_TAG_BYTES,
  COINBASE_CONTEXT,
  INPUT_CONTEXT_BYTES,
  RINGCT_CONTEXT,
} from '../../../fork-rules';
import {
  GEN_INPUT,
  KEY_INPUT,
  KEY_OUTPUT,
  NO_CONTEXT,
  NO_VIEW_TAG,
  TAGGED_KEY_OUTPUT,
  UNSCANNED_TAG,
} from '../../../format';
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
/** For each transaction, the index of its input context in `CONTEXTS`, or NO_CONTEXT. */
export const CONTEXT_OF = column();
/** Input contexts, 33 bytes each. */
export const CONTEXTS = column();

/** Height of an input context, 32 bytes. */
const HEIGHT = memory.data(32, 16);
/** Height in the miner's input that was read last. */
let height: u64 = 0;
/** True if the transaction has the form of the fork: its first output has. */
let isNewForm: bool = false;

function readInput(): void {
  const type = byte();
  if (type == GEN_INPUT) {
    height = number();
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
  if (type != KEY_OUTPUT && type != TAGGED_KEY_OUTPUT && type != CARROT_OUTPUT)
    throw new Error('unknown output type');
  if (index == 0) isNewForm = type == CARROT_OUTPUT;
  OUTPUTS.pushKey(skip(32));
  OUTPUT_INDICES.push(index);
  VIEW_TAGS.push(type == CARROT_OUTPUT ? newTag() : oldTag(type));
}

/** Reads the view tag of an output in the old form. A transaction of the form of the fork has none that is scanned. */
function oldTag(type: u32): u32 {
  const tag = type == KEY_OUTPUT ? u32(NO_VIEW_TAG) : byte();
  return isNewForm ? u32(UNSCANNED_TAG) : tag;
}

/**
 * Reads the view tag and the anchor of an output in the form of the fork. In a transaction of the old form it is scanned as
 * an output without a view tag. Source: `stage` scanning_tools.cpp `try_load_pre_carrot_enote`.
 */
function newTag(): u32 {
  const tag = skip(CARROT_TAG_BYTES + ANCHOR_BYTES);
  if (!isNewForm) return NO_VIEW_TAG;
  return u32(load<u8>(tag)) | (u32(load<u8>(tag + 1)) << 8) | (u32(load<u8>(tag + 2)) << 16);
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
  if (inputs > 0) readInput();
  const startsWithImage = IMAGES.count > before;
  const firstHeight = height;
  for (let i: u32 = 1; i < inputs; i++) readInput();
  const outputs = count();
  isNewForm = false;
  FIRST_OUTPUTS.push(OUTPUT_INDICES.count);
  for (let i: u32 = 0; i < outputs; i++) readOutput(i);
  const length = number();
  const extra = skip(length);
  VERSIONS.pushByte(u32(version));
  REWARDS.pushByte(inputs == 1 && IMAGES.count == before ? 1 : 0);
  if (isNewForm && inputs > 0) {
    pushContext(startsWithImage, firstHeight);
    locateEphemeralKeys(extra, outputs, startsWithImage);
  } else {
    CONTEXT_OF.push(NO_CONTEXT);
    locateKeys(extra, isNewForm ? 0 : outputs);
  }
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

/**
 * Pushes the input context of a transaction, which its first input determines: the key image, or the height in the miner's
 * input. Source: `stage` carrot_impl/format_utils.cpp `parse_carrot_input_context`.
 */
function pushContext(startsWithImage: bool, firstHeight: u64): void {
  CONTEXT_OF.push(u32(CONTEXTS.used / INPUT_CONTEXT_BYTES));
  CONTEXTS.pushByte(startsWithImage ? RINGCT_CONTEXT : COINBASE_CONTEXT);
  if (startsWithImage) {
    CONTEXTS.pushKey(base + IMAGES.get(FIRST_IMAGES.get(FIRST_IMAGES.count - 1)));
    return;
  }
  store<u64>(HEIGHT, firstHeight);
  CONTEXTS.pushKey(HEIGHT);
}

/**
 * Pushes the ephemeral keys of a transaction in the form of the fork. The first main key counts before the additional ones.
 * In a miner transaction each key belongs to one output; in another one a single key belongs to all. Source: `stage`
 * carrot_impl/format_utils.cpp `try_load_carrot_extra_v1`, `try_load_carrot_enote_from_transaction_v1`.
 */
function locateEphemeralKeys(extra: usize, outputs: u32, startsWithImage: bool): void {
  FIRST_KEYS.push(u32(KEYS.used >> 5));
  readExtra(extra, position());
  const isShared = startsWithImage && (mainKeys() > 0 || additionalKeys() == 1);
  MAIN_KEYS.push(isShared ? 1 : 0);
  if (!startsWithImage && !isCoinbase()) return;
  if (mainKeys() > 0) {
    KEYS.pushKey(mainKey(0));
    return;
  }
  const own = min(additionalKeys(), outputs);
  for (let i: u32 = 0; i < own; i++) KEYS.pushKey(additionalKey(i));
}
