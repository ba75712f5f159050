import type { Curve } from '../crypto/curve.js';
import { plainCurve } from '../crypto/plain-curve.js';
import { decompress, G, H, IDENTITY, multiply, type Point } from '../crypto/point.js';
import { scalarBytes } from '../crypto/scalar.js';
import type { Commitment } from '../crypto/types.js';
import type { Amount } from '../util/amount.js';
import { equalBytes } from '../util/bytes.js';

/** `mask·G + amount·H`; the amount is a secret, so both products take constant time. Source: rctOps.cpp `commit`. */
export const commit = (amount: Amount, mask: bigint): Commitment =>
  multiply(G, mask).add(multiply(H, amount)).toBytes() as Commitment;

/** Mask of {@link zeroCommit}. */
const ONE = scalarBytes(1n);

/** Commitment to a public amount, with mask 1. Source: rctOps.cpp `zeroCommit`. */
export const zeroCommit = (amount: Amount, curve: Curve = plainCurve): Commitment =>
  curve.commit([amount], ONE) as Commitment;

/** True when the commitment is to this amount and mask. */
export const commitsTo = (commitment: Commitment, amount: Amount, mask: bigint): boolean =>
  equalBytes(commit(amount, mask), commitment);

/** Sum of commitments. @throws RangeError when one is not a point. */
export const sumCommitments = (commitments: readonly Commitment[]): Point =>
  commitments.reduce((total, commitment) => total.add(decompress(commitment)), IDENTITY);

/**
 * True when `Σ pseudoOuts = Σ outPk + fee·H`.
 * @returns false when a commitment is not a point.
 * Source: rctSigs.cpp `verRctSemanticsSimple`.
 */
export function amountsBalance(
  pseudoOuts: readonly Commitment[],
  outPk: readonly Commitment[],
  fee: Amount,
  curve: Curve = plainCurve,
): boolean {
  if (!curve.arePoints([...pseudoOuts, ...outPk])) return false;
  const ones = (all: readonly Commitment[]): bigint[] => all.map(() => 1n);
  const paid = curve.multiexp(pseudoOuts, ones(pseudoOuts));
  return equalBytes(paid, curve.multiexp([...outPk, H.toBytes()], [...ones(outPk), fee]));
}
