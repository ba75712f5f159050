import { parsePrunedTransaction, transaction } from '../../../src/monero/cryptonote/transaction.js';
import { fcmpProofSize } from '../../../src/monero/ringct/fcmp-proof-size.js';
import type { RctPrunable } from '../../../src/monero/ringct/types.js';
import { encode } from '../../../src/util/codec.js';

/** Returns proofs of type 7 of the right size, with bytes that prove nothing. @param layers of the tree of outputs. */
export function fcmpProofsOf(inputs: number, outputs: number, layers: number): RctPrunable {
  const filled = <T>(n: number): T => new Uint8Array(32).fill(n) as unknown as T;
  const side = <T>(): T[] =>
    Array.from({ length: 6 + Math.ceil(Math.log2(Math.max(1, outputs))) }, (_, i) => filled<T>(i + 1));
  const scalars = { r1: filled<never>(4), s1: filled<never>(5), d1: filled<never>(6) };
  return {
    ...{ rangeSigs: [], bulletproofs: [], mlsags: [], clsags: [] },
    bulletproofsPlus: [{ A: filled(1), A1: filled(2), B: filled(3), ...scalars, L: side(), R: side() }],
    fcmp: { referenceBlock: 1000, layers, proof: new Uint8Array(fcmpProofSize(inputs, layers)).fill(7) },
    pseudoOuts: Array.from({ length: inputs }, (_, i) => filled(i + 50)),
  };
}

/** Encodes a transaction of RingCT type 7 with {@link fcmpProofsOf}. @param pruned the transaction without proofs. */
export function withFcmpProofs(pruned: Uint8Array, layers: number): Uint8Array {
  const { prefix, rct } = parsePrunedTransaction(pruned);
  if (rct === undefined) throw new RangeError('a transaction of version 1');
  const prunable = fcmpProofsOf(prefix.inputs.length, prefix.outputs.length, layers);
  return encode(transaction, { prefix, rct: { ...rct, prunable } });
}
