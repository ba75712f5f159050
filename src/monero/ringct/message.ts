import { keccak } from '../crypto/keccak.js';
import type { Hash } from '../crypto/types.js';
import { encode } from '../../util/codec.js';
import { rctBase } from './codec.js';
import type { RctBase, RctPrunable } from './types.js';

/** Returns the fields of the range proofs, in the order in which they are hashed. */
function rangeProofParts({ type }: RctBase, prunable: RctPrunable): Uint8Array[] {
  if (type === 6)
    return prunable.bulletproofsPlus.flatMap(({ A, A1, B, r1, s1, d1, L, R }) => [
      A,
      A1,
      B,
      r1,
      s1,
      d1,
      ...L,
      ...R,
    ]);
  if (type >= 3)
    return prunable.bulletproofs.flatMap(({ A, S, T1, T2, taux, mu, L, R, a, b, t }) => [
      A,
      S,
      T1,
      T2,
      taux,
      mu,
      ...L,
      ...R,
      a,
      b,
      t,
    ]);
  return prunable.rangeSigs.flatMap(({ s0, s1, ee, Ci }) => [...s0, ...s1, ee, ...Ci]);
}

/**
 * Computes the message that the ring signatures sign: the hash of prefix, base part and range proofs. Source:
 * rctSigs.cpp `get_pre_mlsag_hash`.
 */
export function preMlsagHash(
  prefixHash: Hash,
  base: RctBase,
  prunable: RctPrunable,
  inputs: number,
  outputs: number,
): Hash {
  return keccak(
    prefixHash,
    keccak(encode(rctBase(inputs, outputs), base)),
    keccak(...rangeProofParts(base, prunable)),
  );
}
