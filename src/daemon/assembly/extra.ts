/* Keys in a transaction's extra. It is read up to the first field that cannot be. Source: tx_extra.h. */
import { column } from './columns';

const PUBLIC_KEY: u32 = 0x01;
const NONCE: u32 = 0x02;
const MERGE_MINING: u32 = 0x03;
const ADDITIONAL_KEYS: u32 = 0x04;
const MINERGATE: u32 = 0xde;
const MOST_NONCE: u64 = 255;

/** Addresses of the keys of the extra that was read last. */
const main = column();
let additional: usize = 0;
let additionalCount: u32 = 0;

export function mainKeys(): u32 {
  return main.count;
}
export function mainKey(i: u32): usize {
  return main.get(i);
}
export function additionalKeys(): u32 {
  return additionalCount;
}
export function additionalKey(i: u32): usize {
  return additional + (usize(i) << 5);
}

let at: usize = 0;
let end: usize = 0;

/** Passes over bytes. @returns whether they are there. */
function pass(length: u64): bool {
  if (length > u64(end - at)) return false;
  at += usize(length);
  return true;
}

/** Value of the varint that was read last. */
let value: u64 = 0;

/** Reads a varint of up to 64 bits. @returns whether there is one. Source: varint.h `read_varint`. */
function readVarint(): bool {
  value = 0;
  for (let shift: u64 = 0; at < end; shift += 7) {
    const group = u64(load<u8>(at++));
    // Nine groups leave one bit to the tenth.
    if ((group == 0 && shift > 0) || (shift == 63 && group > 1)) return false;
    value |= (group & 0x7f) << shift;
    if (group < 0x80) return true;
  }
  return false;
}

/** Passes over a field behind its length, which is left in `value`. @returns whether it is there. */
function passBlob(): bool {
  return readVarint() && pass(value);
}

/** Passes over the tag of blocks mined for several chains: a depth and a hash, and nothing else. */
function passMergeMining(): bool {
  if (!passBlob()) return false;
  const behind = at;
  const outer = end;
  at -= usize(value);
  end = behind;
  const sound = readVarint() && pass(32) && at == end;
  at = behind;
  end = outer;
  return sound;
}

function readAdditional(): bool {
  if (!readVarint()) return false;
  const keys = value;
  if (keys > u64(end - at)) return false;
  const first = at;
  if (!pass(keys << 5)) return false;
  // The first such field counts.
  if (additional == 0) {
    additional = first;
    additionalCount = u32(keys);
  }
  return true;
}

/** @returns whether the extra can be read on behind it. */
function readField(): bool {
  const tag = load<u8>(at++);
  if (tag == PUBLIC_KEY) {
    if (!pass(32)) return false;
    main.push(u32(at - 32));
    return true;
  }
  if (tag == NONCE) return passBlob() && value <= MOST_NONCE;
  if (tag == MERGE_MINING) return passMergeMining();
  if (tag == ADDITIONAL_KEYS) return readAdditional();
  if (tag == MINERGATE) return passBlob();
  // Padding reaches to the end, and there are no others.
  return false;
}

export function readExtra(from: usize, to: usize): void {
  main.clear();
  additional = 0;
  additionalCount = 0;
  at = from;
  end = to;
  while (at < end && readField());
}
