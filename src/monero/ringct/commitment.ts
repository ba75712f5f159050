import { AMOUNT_BASE, type Curve } from '../crypto/curve/curve.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import { sumOfPoints } from '../crypto/curve/points.js';
import { reduce, scalarBytes } from '../crypto/scalar.js';
import type { Commitment } from '../crypto/types.js';
import type { Amount } from '../../util/amount.js';
import { chunks, concatBytes, equalBytes } from '../../util/bytes.js';

/**
 * Computes the commitment `mask·G + amount·H`. The amount is a secret, so both products take constant time. Source:
 * rctOps.cpp `commit`.
 */
export const commit = (amount: Amount, mask: bigint, curve: Curve = loadCurve()): Commitment =>
  curve.commit([amount], scalarBytes(reduce(mask))) as Commitment;

/** Computes the commitment of each amount with its mask, as {@link commit}. */
export const commitEach = (
  amounts: readonly Amount[],
  masks: readonly bigint[],
  curve: Curve = loadCurve(),
): Commitment[] =>
  chunks(curve.commit(amounts, concatBytes(...masks.map((mask) => scalarBytes(reduce(mask))))), 32).map(
    (bytes) => bytes as Commitment,
  );

/** Computes the commitment to a public amount, with mask 1. Source: rctOps.cpp `zeroCommit`. */
export const zeroCommit = (amount: Amount, curve: Curve = loadCurve()): Commitment =>
  commit(amount, 1n, curve);

/** Returns true if a commitment has this amount and mask. */
export const commitsTo = (
  commitment: Commitment,
  amount: Amount,
  mask: bigint,
  curve: Curve = loadCurve(),
): boolean => equalBytes(commit(amount, mask, curve), commitment);

/**
 * Returns true if `Σ pseudoOuts = Σ outPk + fee·H`; false also if a commitment is not a point. Source: rctSigs.cpp
 * `verRctSemanticsSimple`.
 */
export function amountsBalance(
  pseudoOuts: readonly Commitment[],
  outPk: readonly Commitment[],
  fee: Amount,
  curve: Curve = loadCurve(),
): boolean {
  if (!curve.arePoints([...pseudoOuts, ...outPk])) return false;
  const paid = sumOfPoints(pseudoOuts, curve);
  return equalBytes(paid, curve.multiexp([...outPk, AMOUNT_BASE], [...outPk.map(() => 1n), fee]));
}
