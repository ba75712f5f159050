import { verifyClsag } from '../ringct/clsag.js';
import { preMlsagHash } from '../ringct/message.js';
import type { RingMember } from '../ringct/types.js';
import { prefixHash } from './transaction.js';
import type { Transaction } from './types.js';

/** Verifies the ring signature of an input. @param input index of the input. @param ring members in the order of the input. */
type VerifyInput = (input: number, ring: readonly RingMember[]) => boolean;

/**
 * Returns a function that verifies the ring signatures of a transaction. It returns false for an input without a CLSAG: since
 * August 2022 no other signature is valid in a new transaction. Source: rctSigs.cpp `verRctNonSemanticsSimple`.
 */
export function inputVerifier({ prefix, rct }: Transaction): VerifyInput {
  const { base, prunable } = rct ?? {};
  if (base === undefined || prunable === undefined) return () => false;
  const { inputs, outputs } = prefix;
  const message = preMlsagHash(prefixHash(prefix), base, prunable, inputs.length, outputs.length);
  return (input, ring) => {
    const [spending, clsag, pseudoOut] = [inputs[input], prunable.clsags[input], prunable.pseudoOuts[input]];
    if (spending?.type !== 'key' || clsag === undefined || pseudoOut === undefined) return false;
    return verifyClsag({ message, ring, clsag, keyImage: spending.keyImage, pseudoOut });
  };
}
