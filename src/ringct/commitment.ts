import { decompress, G, H, multiply, multiplyPublic, Point } from '../crypto/point.js';
import type { Commitment } from '../crypto/types.js';
import type { Amount } from '../util/amount.js';

/** `mask·G + amount·H`; the amount is a secret, so both products take constant time. Source: rctOps.cpp `commit`. */
export const commit = (amount: Amount, mask: bigint): Commitment =>
  multiply(G, mask).add(multiply(H, amount)).toBytes() as Commitment;

/** The commitment of an amount that everybody sees: mask 1. Source: rctOps.cpp `zeroCommit`. */
export const zeroCommit = (amount: Amount): Commitment =>
  G.add(multiplyPublic(H, amount)).toBytes() as Commitment;

/** Σ of public points. @throws RangeError when one is not a point. */
export const sumCommitments = (commitments: readonly Commitment[]): InstanceType<typeof Point> =>
  commitments.reduce((total, commitment) => total.add(decompress(commitment)), Point.ZERO);

/** Do pseudo outputs pay for outputs and fee, `Σ pseudoOuts = Σ outPk + fee·H`? */
export function amountsBalance(
  pseudoOuts: readonly Commitment[],
  outPk: readonly Commitment[],
  fee: Amount,
): boolean {
  return sumCommitments(pseudoOuts).equals(sumCommitments(outPk).add(multiplyPublic(H, fee)));
}
