/* Memory of the batch to scan, which follows all other areas. The host writes its inputs and reads the hits. */
import { MOST_SCALARS } from './comb';
import { growMemory, freeAreaAt } from './multiexp';
import { PACKED_POINT } from './point';
import { INPUT_CONTEXT_BYTES } from '../../../fork-rules';

/** Size of the state of a hash after the block of its key [bytes]. */
export const CHAINED: usize = 64;

let base: usize = 0;
export let keys: i32 = 0;
export let outputs: i32 = 0;
export let secrets: i32 = 0;
/** Number of input contexts; 0 in a batch of the old form. */
let contexts: i32 = 0;

/** Number of keys with space for a context; 0 in a batch of the old form. */
@inline
function formKeys(): usize {
  return contexts > 0 ? usize(keys) : 0;
}

/** Largest number of hits: an output of the fork may be found with both secrets of a wallet. */
@inline
function mostHits(): usize {
  return contexts > 0 ? 2 * usize(outputs) : usize(outputs);
}

/** Returns the address of the transaction keys R, and of the ephemeral keys D of the fork. */
export function scanKeysAt(): usize {
  return base;
}
/**
 * Returns the address of the derivations 8*a*R and of the shared secrets a*D of all keys, for one view secret key after
 * the other.
 */
@inline
export function derivationAt(secret: i32, key: i32): usize {
  return scanKeysAt() + (usize(keys) << 5) + (usize(secret * keys + key) << 5);
}
/** Returns the address of the view-balance secrets, for one view secret key after the other. */
export function scanBalancesAt(): usize {
  return derivationAt(secrets, 0);
}
/** Returns the address of the output keys P. */
export function scanOutputsAt(): usize {
  return scanBalancesAt() + (usize(secrets) << 5);
}
/** Returns the address of the derivation or the shared secret of each hit. */
export function scanDerivationsAt(): usize {
  return scanOutputsAt() + (usize(outputs) << 5);
}
/** Returns the address of P - Hs(D, i)*G for each hit; zeros for a hit of the fork. */
export function scanSpendKeysAt(): usize {
  return scanDerivationsAt() + (mostHits() << 5);
}
/** Returns the address of the states of the hashes with the shared secret of each key as key. */
@inline
export function chainAt(key: i32): usize {
  return scanSpendKeysAt() + (mostHits() << 5) + usize(key) * CHAINED;
}
/** Returns the address of the output indices of the hits, 4 bytes each. */
export function scanHitsAt(): usize {
  return chainAt(0) + formKeys() * CHAINED;
}
/** Returns the address of the list that contains for each output the index of the key to try, 4 bytes each. */
export function scanOutputKeyAt(): usize {
  return scanHitsAt() + (mostHits() << 2);
}
/** Returns the address of the list that contains for each output its index in its transaction, 4 bytes each. */
export function scanOutputIndexAt(): usize {
  return scanOutputKeyAt() + (usize(outputs) << 2);
}
/** Returns the address of the view tags of the outputs, 4 bytes each. */
export function scanTagsAt(): usize {
  return scanOutputIndexAt() + (usize(outputs) << 2);
}
/** Returns the address of the list that contains for each key the index of its input context, 4 bytes each. */
export function scanContextOfAt(): usize {
  return scanTagsAt() + (usize(outputs) << 2);
}
/** Returns the address of the input contexts, one after the other. */
export function scanContextsAt(): usize {
  return scanContextOfAt() + (formKeys() << 2);
}
/** Returns the address of the flags of the secrets: 1 if there is a view-balance secret, otherwise 0. */
export function scanHasBalanceAt(): usize {
  return scanContextsAt() + usize(contexts) * INPUT_CONTEXT_BYTES;
}
/** Returns the address of the kinds of the hits, a byte each. */
export function scanKindsAt(): usize {
  return scanHasBalanceAt() + usize(secrets);
}
/** Returns the address of the flags of the keys: 1 for a key that can be multiplied, otherwise 0. */
export function validAt(): usize {
  return scanKindsAt() + mostHits();
}
/** Size of a decompressed output key [bytes]: flags in byte 0, the packed P from byte 8 on. */
const DECOMPRESSED: usize = 8 + PACKED_POINT;

/**
 * Returns the address of an output's decompressed P. P is decompressed at the first call, and kept only if there are
 * several view secret keys.
 */
@inline
export function decompressedAt(output: u32): usize {
  return validAt() + usize(keys) + usize(output) * DECOMPRESSED;
}
/** Marks all output keys as not decompressed. */
export function forgetPoints(): void {
  if (secrets > 1) for (let output = 0; output < outputs; output++) store<u8>(decompressedAt(output), 0);
}
function endOfScan(): usize {
  return decompressedAt(secrets > 1 ? outputs : 0);
}

@inline
export function keyOf(output: u32): u32 {
  return load<u32>(scanOutputKeyAt() + (usize(output) << 2));
}

@inline
export function indexOf(output: u32): u32 {
  return load<u32>(scanOutputIndexAt() + (usize(output) << 2));
}

@inline
export function tagOf(output: u32): u32 {
  return load<u32>(scanTagsAt() + (usize(output) << 2));
}

/** Returns true if the key to try for an output can be multiplied. */
@inline
export function hasKey(output: u32): bool {
  const key = keyOf(output);
  return key < u32(keys) && load<u8>(validAt() + usize(key)) != 0;
}

/** Returns true if a batch may have keys of the fork. */
@inline
export function hasForkKeys(): bool {
  return contexts > 0;
}

/** Returns true for a key with an input context, an ephemeral key of the fork. */
@inline
export function isForkKey(key: u32): bool {
  return contexts > 0 && contextOf(key) < u32(contexts);
}

@inline
function contextOf(key: u32): u32 {
  return load<u32>(scanContextOfAt() + (usize(key) << 2));
}

/** Returns the address of the input context of a key of the fork. */
@inline
export function contextAt(key: u32): usize {
  return scanContextsAt() + usize(contextOf(key)) * INPUT_CONTEXT_BYTES;
}

/** Returns true if the wallet with a view secret key has a view-balance secret. */
@inline
export function hasBalance(secret: i32): bool {
  return load<u8>(scanHasBalanceAt() + usize(secret)) != 0;
}

/** Returns the address of the view-balance secret of a wallet. */
@inline
export function balanceAt(secret: i32): usize {
  return scanBalancesAt() + (usize(secret) << 5);
}

/**
 * Reserves memory for a batch.
 * @param secretCount number of view secret keys, from 1 to 128.
 * @param contextCount number of input contexts.
 * @returns false if there is no more memory.
 */
export function reserveScan(keyCount: i32, outputCount: i32, secretCount: i32, contextCount: i32): bool {
  if (secretCount > MOST_SCALARS) return false;
  base = freeAreaAt();
  keys = keyCount;
  outputs = outputCount;
  secrets = secretCount;
  contexts = contextCount;
  return growMemory(endOfScan());
}

/** Wipes the memory of the batch. */
export function wipeScanMemory(): void {
  memory.fill(base, 0, endOfScan() - base);
}
