import { createHash } from 'node:crypto';
import type { Hash } from '../crypto/types.js';

/** Domain byte in the hash of a slot. Source: cryptonote_config.h `HASH_KEY_MM_SLOT`. */
const SLOT_DOMAIN = 'm'.charCodeAt(0);

/** Largest number of chains that are mined together. Source: merge_mining.cpp `encode_mm_depth`. */
export const MAX_AUX_CHAINS = 256;

/**
 * Returns the slot of a chain in the merge mining tree: SHA-256 of its id and the nonce, modulo the number of chains.
 * @param id 32 bytes.
 * @param chains number of chains, ≥ 1. Source: merge_mining.cpp `get_aux_slot`.
 */
export function auxSlot(id: Hash, nonce: number, chains: number): number {
  const input = Buffer.alloc(37, id);
  input.writeUInt32LE(nonce, 32);
  input[36] = SLOT_DOMAIN;
  return createHash('sha256').update(input).digest().readUInt32LE(0) % chains;
}

/** Returns the slots of all chains; undefined if two chains have the same slot. */
export function auxSlots(ids: readonly Hash[], nonce: number): number[] | undefined {
  const slots: number[] = [];
  for (const id of ids) {
    const slot = auxSlot(id, nonce, ids.length);
    if (slots.includes(slot)) return undefined;
    slots.push(slot);
  }
  return slots;
}

/**
 * Encodes the number of chains and the nonce in one integer. From the lowest bit: 3 bits contain a width, width + 1
 * bits contain the number of chains - 1, the other bits the nonce.
 * @param chains from 1 to {@link MAX_AUX_CHAINS}. Source: merge_mining.cpp `encode_mm_depth`.
 */
export function mergeMiningDepth(chains: number, nonce: number): bigint {
  let bits = 1;
  while (1 << bits < chains) bits += 1;
  return BigInt(bits - 1 + (chains - 1) * 2 ** 3) + (BigInt(nonce) << BigInt(3 + bits));
}
