/** Finds the public keys in tx_extra, which is read up to its first invalid field. Source: tx_extra.h. */
import {
  EXTRA_ADDITIONAL_KEYS,
  EXTRA_MERGE_MINING,
  EXTRA_MINERGATE,
  EXTRA_NONCE,
  EXTRA_PUBLIC_KEY,
  MAX_NONCE,
} from '../../../format';
import { column } from './columns';

/** Addresses of the transaction public keys (main keys) in the extra that was read last. */
const main = column();
let additional: usize = 0;
let additionalCount: u32 = 0;

/** Returns the number of transaction public keys (main keys) in the extra that was read last. */
export function mainKeys(): u32 {
  return main.count;
}
/** Returns the address of main key number `i`. */
export function mainKey(i: u32): usize {
  return main.get(i);
}
/** Returns the number of additional public keys in the extra that was read last. */
export function additionalKeys(): u32 {
  return additionalCount;
}
/** Returns the address of additional public key number `i`. */
export function additionalKey(i: u32): usize {
  return additional + (usize(i) << 5);
}

let at: usize = 0;
let end: usize = 0;

/** Skips bytes. @returns false if fewer bytes are left in the extra. */
function skip(length: u64): bool {
  if (length > u64(end - at)) return false;
  at += usize(length);
  return true;
}

/** Value of the varint that was read last. */
let value: u64 = 0;

/** Reads a varint of up to 64 bits into `value`. @returns false if it is invalid. Source: varint.h `read_varint`. */
function readVarint(): bool {
  value = 0;
  for (let shift: u64 = 0; at < end; shift += 7) {
    const group = u64(load<u8>(at++));
    // Only the lowest bit of the tenth group fits into 64 bits.
    if ((group == 0 && shift > 0) || (shift == 63 && group > 1)) return false;
    value |= (group & 0x7f) << shift;
    if (group < 0x80) return true;
  }
  return false;
}

/** Skips a field that starts with its length. @returns false if the field is incomplete. */
function skipBlob(): bool {
  return readVarint() && skip(value);
}

/** Skips a merge mining tag, which must consist of a depth and a hash. @returns false if it is invalid. */
function skipMergeMining(): bool {
  if (!skipBlob()) return false;
  const tagEnd = at;
  const extraEnd = end;
  at -= usize(value);
  end = tagEnd;
  const valid = readVarint() && skip(32) && at == end;
  at = tagEnd;
  end = extraEnd;
  return valid;
}

function readAdditional(): bool {
  if (!readVarint()) return false;
  const keys = value;
  if (keys > u64(end - at)) return false;
  const first = at;
  if (!skip(keys << 5)) return false;
  // If several fields have additional keys, only the first one counts.
  if (additional == 0) {
    additional = first;
    additionalCount = u32(keys);
  }
  return true;
}

/** Reads one field. @returns false if the extra cannot be read beyond this field. */
function readField(): bool {
  const tag = load<u8>(at++);
  if (tag == EXTRA_PUBLIC_KEY) {
    if (!skip(32)) return false;
    main.push(u32(at - 32));
    return true;
  }
  if (tag == EXTRA_NONCE) return skipBlob() && value <= u64(MAX_NONCE);
  if (tag == EXTRA_MERGE_MINING) return skipMergeMining();
  if (tag == EXTRA_ADDITIONAL_KEYS) return readAdditional();
  if (tag == EXTRA_MINERGATE) return skipBlob();
  // Padding extends to the end; other tags are invalid.
  return false;
}

/** Reads the tx_extra between two addresses, up to its first invalid field. */
export function readExtra(from: usize, to: usize): void {
  main.clear();
  additional = 0;
  additionalCount = 0;
  at = from;
  end = to;
  while (at < end && readField());
}
