/*
 * Computes hashes of transactions, whole or pruned. The hash of version 2 is computed of three hashes: of the prefix,
 * of the base part of the RingCT signature, and of the prunable part. The hash of version 1 covers all bytes. Source:
 * cryptonote_format_utils.cpp `calculate_transaction_hash`.
 */
import { keccak } from '../../../crypto/assembly/keccak';
import {
  LONG_ECDH_BYTES,
  RCT_NEWEST,
  RCT_NONE,
  RCT_SHORT_AMOUNTS,
  RCT_SIMPLE,
  SHORT_ECDH_BYTES,
} from '../../../format';
import { RCT_FCMP } from '../../../fork-rules';
import { byte, position, skip, varint } from './reading';
import { inputCount, outputCount } from './transaction';

const HASH = memory.data(32, 16);
const PARTS = memory.data(96, 16);
/**
 * Stands for the hash of the prunable part where there is no such part, or where a daemon does not give its hash. Source:
 * `crypto::null_hash`.
 */
export const NULL_HASH = memory.data(32, 16);

function hash(o: usize, from: usize, to: usize): usize {
  keccak(o, from, i32(to - from));
  return o;
}

/**
 * Computes the hash of a transaction of version 2.
 * @param from address of the transaction.
 * @param prunable address of the hash of its prunable part.
 */
function hashOfParts(from: usize, prefixEnd: usize, baseEnd: usize, prunable: usize): usize {
  hash(PARTS, from, prefixEnd);
  hash(PARTS + 32, prefixEnd, baseEnd);
  memory.copy(PARTS + 64, prunable, 32);
  return hash(HASH, PARTS, PARTS + 96);
}

/**
 * Skips the part behind the prefix that pruning keeps: for version 2, the base part of the RingCT signature; no bytes
 * for version 1. Source: rctTypes.h `serialize_rctsig_base`.
 * @returns the address after it.
 */
export function skipBase(version: u32): usize {
  if (version == 1) return position();
  const type = byte();
  if (type > u32(RCT_NEWEST) && type != RCT_FCMP) throw new Error('unknown RingCT type');
  if (type == RCT_NONE) return position();
  varint();
  if (type == RCT_SIMPLE) skip(u64(inputCount()) << 5);
  const ecdhBytes = type < u32(RCT_SHORT_AMOUNTS) ? LONG_ECDH_BYTES : SHORT_ECDH_BYTES;
  skip(u64(outputCount()) * (ecdhBytes + 32));
  return position();
}

/** True for RingCT type 0, of a transaction without signatures. */
function isUnsigned(prefixEnd: usize, baseEnd: usize): bool {
  return baseEnd == prefixEnd + 1 && load<u8>(prefixEnd) == RCT_NONE;
}

/**
 * Computes the hash of a whole transaction.
 * @param from address of the transaction.
 * @param baseEnd address that {@link skipBase} returned.
 * @param end address after the transaction.
 * @returns the address of the hash, which the next call overwrites.
 */
export function hashWhole(from: usize, prefixEnd: usize, baseEnd: usize, end: usize, version: u32): usize {
  if (version == 1) return hash(HASH, from, end);
  if (!isUnsigned(prefixEnd, baseEnd)) return hashOfParts(from, prefixEnd, baseEnd, hash(HASH, baseEnd, end));
  if (baseEnd != end) throw new Error('bytes left over');
  return hashOfParts(from, prefixEnd, baseEnd, NULL_HASH);
}

/**
 * Computes the hash of a pruned transaction.
 * @param from address of the transaction.
 * @param end address after the transaction.
 * @param prunable address of the hash of its prunable part; zeros if the daemon does not give it.
 * @returns the address of the hash, which the next call overwrites; 0 if the parts at hand do not determine it: without
 * the hash of the prunable part, and for version 1, whose hash covers the signatures.
 */
export function hashPruned(from: usize, prefixEnd: usize, end: usize, version: u32, prunable: usize): usize {
  if (version == 1) return 0;
  if (isUnsigned(prefixEnd, end)) return hashOfParts(from, prefixEnd, end, NULL_HASH);
  return memory.compare(prunable, NULL_HASH, 32) == 0 ? 0 : hashOfParts(from, prefixEnd, end, prunable);
}
