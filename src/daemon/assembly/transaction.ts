/* Where in a transaction lies what a scan reads, and which of its keys may open which of its outputs. */
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
/** In the list of tags: the output carries none. */
const NO_TAG: u32 = 0x100;

/** One a transaction: its version, its first key image, how many outputs it has, whether it is a miner's reward. */
export const VERSIONS = column();
export const FIRST_IMAGES = column();
export const OUTPUT_COUNTS = column();
export const REWARDS = column();
/** Places of the key images of inputs. */
export const IMAGES = column();

/** Keys to derive from, and one a key: the first row that is tried with it. */
export const KEYS = column();
export const FIRST_ROWS = column();
/** Outputs to be tried with a key, one a row: key, place in the transaction, view tag, transaction. */
export const ROW_OUTPUTS = column();
export const ROW_INDICES = column();
export const ROW_TAGS = column();
export const ROW_TXS = column();

/** Of the transaction at hand: addresses and tags of the keys of its outputs. */
const outputs = column();
const tags = column();

/** Keys times outputs of all transactions: more than 100 MB of outputs, the largest page that upstream sends. */
const MOST_ROWS: u32 = 1 << 22;

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

function passOutput(): void {
  varint();
  const type = byte();
  if (type != KEY_OUTPUT && type != TAGGED_KEY_OUTPUT) throw new Error('unknown output type');
  outputs.push(u32(pass(32)));
  tags.push(type == KEY_OUTPUT ? NO_TAG : byte());
}

/** Tries some outputs of a transaction with a key. */
function tryKey(key: usize, tx: u32, from: u32, to: u32): void {
  KEYS.pushKey(key);
  FIRST_ROWS.push(ROW_TXS.count);
  if (ROW_TXS.count + (to - from) > MOST_ROWS) throw new Error('too many keys');
  for (let output = from; output < to; output++) {
    ROW_OUTPUTS.pushKey(outputs.get(output));
    ROW_INDICES.push(output);
    ROW_TAGS.push16(tags.get(output));
    ROW_TXS.push(tx);
  }
}

/**
 * Walks through a prefix and stops behind it: a pruned transaction goes on, which is nobody's business here.
 * @returns its version. Source: cryptonote_basic.h `transaction_prefix`.
 */
export function outlinePrefix(): u32 {
  outputs.clear();
  tags.clear();
  const tx = FIRST_IMAGES.count;
  const version = number();
  if (version != 1 && version != 2) throw new Error('unknown transaction version');
  varint();
  const inputs = count();
  FIRST_IMAGES.push(IMAGES.count);
  const before = IMAGES.count;
  for (let i: u32 = 0; i < inputs; i++) passInput();
  const outputCount = count();
  for (let i: u32 = 0; i < outputCount; i++) passOutput();
  const length = number();
  const extra = pass(length);
  VERSIONS.pushByte(u32(version));
  REWARDS.pushByte(inputs == 1 && IMAGES.count == before ? 1 : 0);
  OUTPUT_COUNTS.push(outputCount);
  if (outputCount > 0) tryKeysIn(extra, tx, outputCount);
  return u32(version);
}

/** Of the transaction outlined last: whether it is a miner's. */
export function isReward(): bool {
  return load<u8>(REWARDS.data + REWARDS.used - 1) == 1;
}

/** Every output is tried with each key of the transaction, then each with its own of the additional ones. */
function tryKeysIn(extra: usize, tx: u32, outputCount: u32): void {
  readExtra(extra, position());
  for (let i: u32 = 0; i < mainKeys(); i++) tryKey(mainKey(i), tx, 0, outputCount);
  const additional = min(additionalKeys(), outputCount);
  for (let i: u32 = 0; i < additional; i++) tryKey(additionalKey(i), tx, i, i + 1);
}
