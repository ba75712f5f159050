import { createHash } from 'node:crypto';
import type { Hash } from '../crypto/types.js';

/** Domain separator of the slot hash. Source: cryptonote_config.h `HASH_KEY_MM_SLOT`. */
const SLOT_DOMAIN = 'm'.charCodeAt(0);

/** Maximum number of chains mined together. Source: merge_mining.cpp `encode_mm_depth`. */
export const MAX_AUX_CHAINS = 256;

/**
 * Slot of a chain in the merge-mining tree: SHA-256 of its id and the nonce, modulo the number of chains.
 * @param id 32 bytes. @param chains ≥ 1. Source: merge_mining.cpp `get_aux_slot`.
 */
export function auxSlot(id: Hash, nonce: number, chains: number): number {
  const input = Buffer.alloc(37, id);
  input.writeUInt32LE(nonce, 32);
  input[36] = SLOT_DOMAIN;
  return createHash('sha256').update(input).digest().readUInt32LE(0) % chains;
}

/** Slots of all chains, or undefined when two chains share one. */
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
 * Encodes number of chains and nonce in one integer, from the lowest bit: 3 bits of width, width + 1 bits of
 * count - 1, the nonce.
 * @param chains from 1 to {@link MAX_AUX_CHAINS}. Source: merge_mining.cpp `encode_mm_depth`.
 */
export function mergeMiningDepth(chains: number, nonce: number): bigint {
  let bits = 1;
  while (1 << bits < chains) bits += 1;
  return BigInt(bits - 1 + (chains - 1) * 2 ** 3) + (BigInt(nonce) << BigInt(3 + bits));
}
